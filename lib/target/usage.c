#include <sys/resource.h>

#include "base/clock.h"
#include "target/usage.h"

static int64_t nanoseconds(const struct timeval *t)
{
	return t->tv_sec * 1000000000ll + t->tv_usec * 1000ll;
}

struct usage usage_of_children(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_CHILDREN, &u) != 0)
		return (struct usage){ 0, 0 };
	return (struct usage){ .user_ns = nanoseconds(&u.ru_utime), .system_ns = nanoseconds(&u.ru_stime) };
}

struct usage usage_since(struct usage then)
{
	struct usage now = usage_of_children();

	return (struct usage){ .user_ns = now.user_ns - then.user_ns, .system_ns = now.system_ns - then.system_ns };
}
