/*
 * ours: the signal that samples come by is not the program's to block or hook.
 */
#include "wrap.h"

static void without_ours(const sigset_t *set, sigset_t *copy)
{
	*copy = *set;
	if (sampler_signal())
		sigdelset(copy, sampler_signal());
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	if (!set || how == SIG_UNBLOCK)
		return REAL(pthread_sigmask)(how, set, old);
	without_ours(set, &copy);
	return REAL(pthread_sigmask)(how, &copy, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	if (!set || how == SIG_UNBLOCK)
		return REAL(sigprocmask)(how, set, old);
	without_ours(set, &copy);
	return REAL(sigprocmask)(how, &copy, old);
}

EXPORT __sighandler_t signal(int sig, __sighandler_t handler)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	if (sig == 0 || sig != sampler_signal())
		return REAL(signal)(sig, handler);
	sampler_keep_action(&act, &old);
	return old.sa_handler;
}

EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	if (sig != 0 && sig == sampler_signal())
		return sampler_keep_action(act, old), 0;
	return REAL(sigaction)(sig, act, old);
}
