/*
 * ours: the signals that samples come by are not the program's to block or hook.
 *
 * There are two: SIGTRAP, by perf, and a real-time signal, by the timer, where
 * perf cannot be had.  Neither is ever blocked for long, and both have our handler;
 * but the program is told of the mask and the handler that it has asked for, and
 * what others send it by these numbers (a breakpoint instruction, raise, kill,
 * sigqueue) comes to it as it would: to its handler, by default, after it has
 * unblocked it, or to who waits for it.
 *
 * Unlike any other, these two cannot be handled on an alternate stack, nor be read
 * from a signalfd while samples are taken by that very number.
 */
#include <string.h>
#include <sys/signalfd.h>
#include <ucontext.h>

#include "wrap.h"

enum { OURS = 2 };

static struct {
	int sig; /* 0: no more */
	struct sigaction program; /* what the program wants for it */
} ours[OURS];

/* Index of the signal; OURS: it is none of ours. */
static unsigned find(int sig)
{
	unsigned i = 0;

	while (i < OURS && (ours[i].sig != sig || sig == 0))
		i++;
	return i;
}

/*
 * Sets are handled as the kernel has them: a word, bit n - 1 for signal n.  That is
 * also how libc's begin; what follows is of no use to anybody.
 */
static uint64_t word_of(const sigset_t *set)
{
	uint64_t word;

	memcpy(&word, set, sizeof(word));
	return word;
}

static void set_word(sigset_t *set, uint64_t word)
{
	memcpy(set, &word, sizeof(word));
}

static uint64_t bit(int sig)
{
	return 1ull << (sig - 1);
}

uint64_t ours_word(void)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < OURS; i++)
		word |= ours[i].sig ? bit(ours[i].sig) : 0;
	return word;
}

void without_ours(const sigset_t *set, sigset_t *copy)
{
	*copy = *set;
	set_word(copy, word_of(set) & ~ours_word());
}

/* ---- what is sent to the program ---------------------------------------------------- */

static void be_default(int sig)
{
	static const struct sigaction dfl = { .sa_handler = SIG_DFL };

	real.sigaction(sig, &dfl, NULL);
	SYS(SYS_tgkill, SYS(SYS_getpid), SYS(SYS_gettid), sig);
}

/* To the thread or to the process, as it came. */
static void send_again(int sig, const siginfo_t *info)
{
	long pid = SYS(SYS_getpid);

	if (info->si_code == SI_TKILL)
		SYS(SYS_rt_tgsigqueueinfo, pid, SYS(SYS_gettid), sig, info);
	/* Only the main thread may say for the whole process that kill(2) was called, and by whom. */
	else if (SYS(SYS_rt_sigqueueinfo, pid, sig, info) != 0)
		SYS(SYS_kill, pid, sig);
}

/*
 * The program believes to have blocked it: it is blocked now, and sent again.  From
 * then on the thread is not sampled: samples would wait too, and be let in with what
 * the program lets in, into the middle of a call.
 */
static __attribute__((noinline)) void put_off(int sig, const siginfo_t *info, ucontext_t *uc)
{
	enum { MANY = 8 };
	static const struct timespec at_once = { 0, 0 };
	const uint64_t set = bit(sig);
	siginfo_t more[MANY];
	int n = 0;

	sampler_pause(true);
	self.put_off |= set;
	sigaddset(&uc->uc_sigmask, sig);
	/* A sample may have come since. */
	while (n < MANY && SYS(SYS_rt_sigtimedwait, &set, &more[n], &at_once, sizeof(set)) == sig)
		n += !sampler_sent(sig, &more[n]);
	send_again(sig, info);
	for (int i = 0; i < n; i++)
		send_again(sig, &more[i]);
}

/* What was put off has been let in or taken, by this thread or another one: back to how it was. */
void ours_settle(void)
{
	uint64_t pending = 0, set = self.put_off;

	if (likely(!set))
		return;
	SYS(SYS_rt_sigpending, &pending, sizeof(pending));
	if (pending & set)
		return;
	self.put_off = 0;
	SYS(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, sizeof(set));
	sampler_pause(false);
}

static __attribute__((noinline)) void deliver(unsigned i, siginfo_t *info, ucontext_t *uc)
{
	struct sigaction wanted = ours[i].program;
	bool has_handler = (wanted.sa_flags & SA_SIGINFO) || (wanted.sa_handler != SIG_DFL && wanted.sa_handler != SIG_IGN);
	/* An instruction did it, which goes on afterwards: that can be neither blocked nor ignored. */
	bool at_once = info->si_code > 0;
	int sig = ours[i].sig;
	sigset_t during;

	if (at_once && (!has_handler || (self.masked & bit(sig)))) {
		be_default(sig);
		return;
	}
	if (self.masked & bit(sig)) {
		put_off(sig, info, uc);
		return;
	}
	if (!has_handler) {
		if (wanted.sa_handler == SIG_DFL)
			be_default(sig);
		return;
	}
	if (wanted.sa_flags & (int)SA_RESETHAND)
		ours[i].program = (struct sigaction){ .sa_handler = SIG_DFL };
	/* Not ours, which blocks everything. */
	sigorset(&during, &uc->uc_sigmask, &wanted.sa_mask);
	if (!(wanted.sa_flags & SA_NODEFER))
		sigaddset(&during, sig);
	real.pthread_sigmask(SIG_SETMASK, &during, NULL);
	if (wanted.sa_flags & SA_SIGINFO)
		wanted.sa_sigaction(sig, info, uc);
	else
		wanted.sa_handler(sig);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	unsigned i = find(sig);

	if (sampler_sent(sig, info))
		sampler_handle(sig, info, context);
	else if (i < OURS)
		deliver(i, info, context);
}

/* ---- handlers ------------------------------------------------------------------------- */

/*
 * While our handler runs, the program's wait: one that left it by a jump would leave
 * us in the middle of it.  Calls that a signal of the program's interrupts are
 * restarted if its handler says so; ours comes while none is being made.
 */
static bool install(unsigned i, struct sigaction *before)
{
	const struct sigaction *p = &ours[i].program;
	bool has_handler = (p->sa_flags & SA_SIGINFO) || (p->sa_handler != SIG_DFL && p->sa_handler != SIG_IGN);
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	if (!has_handler || (p->sa_flags & SA_RESTART))
		action.sa_flags |= SA_RESTART;
	sigfillset(&action.sa_mask);
	return real.sigaction(ours[i].sig, &action, before) == 0;
}

bool ours_take(int sig)
{
	unsigned i = 0;
	sigset_t set, old;

	while (i < OURS && ours[i].sig)
		i++;
	if (i == OURS)
		return false;
	ours[i].sig = sig;
	if (!install(i, &ours[i].program)) {
		ours[i].sig = 0;
		return false;
	}
	sigemptyset(&set);
	sigaddset(&set, sig);
	real.pthread_sigmask(SIG_UNBLOCK, &set, &old);
	self.masked |= word_of(&old) & bit(sig);
	return true;
}

static void keep(unsigned i, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction before = ours[i].program;

	if (act) {
		ours[i].program = *act;
		install(i, NULL);
	}
	if (old)
		*old = before;
}

EXPORT __sighandler_t signal(int sig, __sighandler_t handler)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;
	unsigned i = find(sig);

	if (i == OURS)
		return REAL(signal)(sig, handler);
	keep(i, &act, &old);
	return old.sa_handler;
}

/*
 * A handler on an alternate stack has as much of it as it needs, and nothing for
 * the frame of a sample: there, and there alone, ours wait.
 */
static struct {
	_Atomic bool added;     /* ours to the mask of the handler, */
	_Atomic uint64_t asked; /* where the program had these of them */
} masks[NSIG];

static int act_elsewhere(int sig, const struct sigaction *act, struct sigaction *old)
{
	bool added = atomic_load_explicit(&masks[sig].added, memory_order_relaxed);
	uint64_t asked = atomic_load_explicit(&masks[sig].asked, memory_order_relaxed);
	struct sigaction copy;
	int err;

	if (act) {
		copy = *act;
		if (copy.sa_flags & SA_ONSTACK)
			set_word(&copy.sa_mask, word_of(&act->sa_mask) | ours_word());
	}
	err = real.sigaction(sig, act ? &copy : NULL, old);
	if (err)
		return err;
	if (old && added)
		set_word(&old->sa_mask, (word_of(&old->sa_mask) & ~ours_word()) | asked);
	if (act) {
		atomic_store_explicit(&masks[sig].asked, word_of(&act->sa_mask) & ours_word(), memory_order_relaxed);
		atomic_store_explicit(&masks[sig].added, (copy.sa_flags & SA_ONSTACK) != 0, memory_order_relaxed);
	}
	return 0;
}

EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	unsigned i = find(sig);

	if (likely(!arena) || sig <= 0 || sig >= NSIG)
		return REAL(sigaction)(sig, act, old);
	if (i == OURS)
		return act_elsewhere(sig, act, old);
	keep(i, act, old);
	return 0;
}

/* ---- masks ------------------------------------------------------------------------------ */

uint64_t ours_believe(int how, uint64_t set)
{
	uint64_t before = self.masked, its = set & ours_word();

	self.masked = how == SIG_BLOCK ? before | its : how == SIG_UNBLOCK ? before & ~its : its;
	return how == SIG_UNBLOCK ? set : set & ~its;
}

const sigset_t *ours_suspend(const sigset_t *mask, sigset_t *copy, uint64_t *before)
{
	*before = self.masked;
	if (!mask || !arena)
		return mask;
	*copy = *mask;
	set_word(copy, ours_believe(SIG_SETMASK, word_of(mask)));
	return copy;
}

/* First it is noted, then done: what was put off comes as soon as it is unblocked. */
#define CHANGE_MASK(name, how, set, old)                                                                                     \
	do {                                                                                                                 \
		uint64_t before = self.masked;                                                                               \
		sigset_t copy;                                                                                               \
		int err;                                                                                                     \
		if (likely(!arena))                                                                                          \
			return REAL(name)(how, set, old);                                                                    \
		if (set) {                                                                                                   \
			copy = *set;                                                                                         \
			set_word(&copy, ours_believe(how, word_of(set)));                                                    \
		}                                                                                                            \
		err = REAL(name)(how, set ? &copy : NULL, old);                                                              \
		if (err)                                                                                                     \
			self.masked = before;                                                                                \
		else if (old)                                                                                                \
			set_word(old, word_of(old) | before);                                                                \
		ours_settle();                                                                                               \
		return err;                                                                                                  \
	} while (0)

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	CHANGE_MASK(pthread_sigmask, how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	CHANGE_MASK(sigprocmask, how, set, old);
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t copy;

	if (!REAL(signalfd)) {
		errno = ENOSYS;
		return -1;
	}
	if (likely(!arena))
		return real.signalfd(fd, set, flags);
	without_ours(set, &copy);
	return real.signalfd(fd, &copy, flags);
}
