/*
 * quota: how long a control group was kept from processors, because it had used up its quota
 * (cpu.max, or cpu.cfs_quota_us; `docker run --cpus`, limits of Kubernetes).
 */
#ifndef ANDWEORC_RECORDER_QUOTA_H
#define ANDWEORC_RECORDER_QUOTA_H

#include <stdint.h>
#include <sys/types.h>

struct quota {
	char *groups;      /* the text of /proc/PID/cgroup; NULL: not known; owned */
	int64_t before_ns; /* the total at quota_begin */
};

/* The groups of the process, as it has them now.  Releases those of an earlier call; at first all is 0. */
void quota_begin(struct quota *q, pid_t pid);

/*
 * Time since quota_begin in which processors were taken from these groups and those that they
 * are in, summed over processors, in ns; 0 where the kernel does not tell.
 */
int64_t quota_taken_ns(const struct quota *q);

void quota_release(struct quota *q);

#endif
