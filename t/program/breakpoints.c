/*
 * breakpoints: does the processor count how often a function is called, as perf
 * asks it to?  Status 0: it does; 1: it does not, as in some virtual machines, though
 * the kernel has taken the breakpoint; 2: perf is refused.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) static void hit(void)
{
	__asm__ volatile("");
}

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)hit,
		.bp_len = sizeof(long),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t n = 0;

	if (fd < 0)
		return 2;
	for (int i = 0; i < 5; i++)
		hit();
	if (read(fd, &n, sizeof(n)) != sizeof(n))
		return 2;
	return n != 5;
}
