/*
 * sample_signal: keeps the program from blocking or handling the sampling signals.
 *
 * There are two: SIGTRAP from perf, and a real-time signal from the timer, where perf
 * is refused.  Neither is ever blocked for long, and both have our handler.  But the
 * program reads back the mask and the handler that it has set.  Signals of these
 * numbers from other sources (a breakpoint instruction, raise, kill, sigqueue) are
 * delivered as without us: to the program's handler, or with the default action, after
 * the program has unblocked them, or to a thread that waits for them.
 *
 * The handler runs on the stack of the thread, because alternate stacks may be small,
 * and because some programs use them as stacks of coroutines.  But if a program wants
 * one of the two signals on alternate stacks, both go there.  Go does that for all
 * signals: its goroutines have stacks of 2 to 8 kB, on which no handler has room.  From
 * then on a thread whose alternate stack is too small for us is not sampled; one that
 * has none is sampled on its own stack.
 *
 * One thing does not work: a signalfd cannot read the signal that is in use for
 * samples.
 */
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include "real.h"
#include "sample_signal.h"
#include "sampler.h"
#include "sys.h"
#include "thread.h"

enum {
	OURS = 2,
	HANDLER_BYTES = 4096, /* bytes of stack for the handler, which takes less than 2 kB (t/0260), beside what the kernel saves */
	FRAME_BYTES = 4096,   /* the size that the kernel saves, where it does not report it (before 5.14) */
};

static struct {
	int sig; /* 0: the end of the list */
	int was; /* the same, after the signal was given back: a handler may have begun before */
	struct sigaction program; /* the program's own action */
	bool interrupts;          /* a handler set by signal(3) interrupts calls, see siginterrupt(3) */
} ours[OURS];

static _Atomic bool on_alternate; /* our handler runs on alternate stacks, for good */
static _Atomic bool tight_seen;   /* some thread has or had an alternate stack that is too small */

/* Index of the signal; OURS: not one of ours. */
static unsigned find_own(int sig)
{
	unsigned i = 0;

	while (i < OURS && (ours[i].sig != sig || sig == 0))
		i++;
	return i;
}

/*
 * Sets are handled as the kernel has them: a word, bit n - 1 for signal n.  libc's sets
 * begin with the same word, and their rest is unused.
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

uint64_t sample_signal_word(void)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < OURS; i++)
		word |= ours[i].sig ? bit(ours[i].sig) : 0;
	return word;
}

void without_ours(const sigset_t *set, sigset_t *copy)
{
	*copy = *set;
	set_word(copy, word_of(set) & ~sample_signal_word());
}

/* ---- signals for the program ---------------------------------------------------- */

/* By libc's function.  That of a sanitizer would defer our handler. */
static int set_action(int sig, const struct sigaction *act, struct sigaction *old)
{
	return real.__sigaction ? real.__sigaction(sig, act, old) : real.sigaction(sig, act, old);
}

static void be_default(int sig)
{
	static const struct sigaction dfl = { .sa_handler = SIG_DFL };

	set_action(sig, &dfl, NULL);
	SYS(SYS_tgkill, SYS(SYS_getpid), SYS(SYS_gettid), sig);
}

/* Sends the signal again to the thread or to the process, as it came. */
static void send_again(int sig, const siginfo_t *info)
{
	long pid = SYS(SYS_getpid);

	if (info->si_code == SI_TKILL)
		SYS(SYS_rt_tgsigqueueinfo, pid, SYS(SYS_gettid), sig, info);
	/* The kernel lets only the main thread send a siginfo of kill(2) to the whole process. */
	else if (SYS(SYS_rt_sigqueueinfo, pid, sig, info) != 0)
		SYS(SYS_kill, pid, sig);
}

/*
 * The program has blocked this signal, as far as it knows.  So it is really blocked
 * now, and sent again.  From then on the thread is not sampled: samples would be
 * blocked too, and would be delivered in the middle of a call that unblocks the signal.
 */
static __attribute__((noinline)) void put_off(int sig, const siginfo_t *info, ucontext_t *uc)
{
	enum { MANY = 8 };
	static const struct timespec at_once = { 0, 0 };
	const uint64_t set = bit(sig);
	siginfo_t more[MANY];
	int n = 0;

	sampler_pause(true);
	self.signals.put_off |= set;
	sigaddset(&uc->uc_sigmask, sig);
	/* A sample may have come since. */
	while (n < MANY && SYS(SYS_rt_sigtimedwait, &set, &more[n], &at_once, sizeof(set)) == sig)
		n += !sampler_sent(sig, &more[n]);
	send_again(sig, info);
	for (int i = 0; i < n; i++)
		send_again(sig, &more[i]);
}

/*
 * If the deferred signals have been delivered, or taken by sigwait, in this thread or
 * another, the mask becomes what it was.
 */
void sample_signal_settle(void)
{
	uint64_t pending = 0, set = self.signals.put_off;

	if (likely(!set))
		return;
	SYS(SYS_rt_sigpending, &pending, sizeof(pending));
	if (pending & set)
		return;
	self.signals.put_off = 0;
	SYS(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, sizeof(set));
	sampler_pause(false);
}

/* An action in the kernel's layout. */
struct kernel_action {
	__sighandler_t handler;
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static bool has_handler(const struct sigaction *a)
{
	return (a->sa_flags & SA_SIGINFO) || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

static __attribute__((noinline)) void deliver(unsigned i, siginfo_t *info, ucontext_t *uc)
{
	struct sigaction wanted = ours[i].program;
	bool handled = has_handler(&wanted);
	/* A trap instruction of the program: such a signal can be neither blocked nor ignored. */
	bool at_once = info->si_code > 0;
	int sig = info->si_signo;
	sigset_t during;

	if (at_once && (!handled || (self.signals.masked & bit(sig)))) {
		be_default(sig);
		return;
	}
	if (self.signals.masked & bit(sig)) {
		put_off(sig, info, uc);
		return;
	}
	if (!handled) {
		if (wanted.sa_handler == SIG_DFL)
			be_default(sig);
		return;
	}
	if (wanted.sa_flags & (int)SA_RESETHAND)
		ours[i].program = (struct sigaction){ .sa_handler = SIG_DFL };
	/* Not the mask of our handler, which blocks everything. */
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
	unsigned i = 0;

	while (i < OURS && ours[i].sig != sig && ours[i].was != sig)
		i++;
	if (sampler_sent(sig, info))
		sampler_handle(sig, info, context);
	else if (i < OURS)
		deliver(i, info, context);
}

/* ---- handlers ------------------------------------------------------------------------- */

/*
 * While our handler runs, handlers of the program are blocked: one that leaves by a
 * jump would leave our handler unfinished.  SA_RESTART is as in the program's own
 * action, because its signals may interrupt calls; samples do not arrive during calls.
 */
static bool install(unsigned i, struct sigaction *before)
{
	const struct sigaction *p = &ours[i].program;
	bool handled = has_handler(p);
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	if (!handled || (p->sa_flags & SA_RESTART))
		action.sa_flags |= SA_RESTART;
	if (atomic_load_explicit(&on_alternate, memory_order_relaxed))
		action.sa_flags |= SA_ONSTACK;
	sigfillset(&action.sa_mask);
	return set_action(ours[i].sig, &action, before) == 0;
}

/* The handlers that the kernel has: a program can set one past libc. */
bool sample_signal_in_place(void)
{
	struct kernel_action now;

	for (unsigned i = 0; i < OURS; i++)
		if (ours[i].sig && SYS(SYS_rt_sigaction, ours[i].sig, NULL, &now, sizeof(now.mask)) == 0 && (uintptr_t)now.handler != (uintptr_t)on_signal)
			return false;
	return true;
}

bool sample_signal_have_room(void)
{
	return !self.signals.tight || !atomic_load_explicit(&on_alternate, memory_order_relaxed);
}

/* Once, and for both signals: a thread that needs it for one needs it for the other. */
static void go_to_alternate(void)
{
	if (atomic_load_explicit(&on_alternate, memory_order_relaxed) || atomic_load_explicit(&tight_seen, memory_order_relaxed))
		return;
	atomic_store_explicit(&on_alternate, true, memory_order_relaxed);
	for (unsigned i = 0; i < OURS; i++)
		if (ours[i].sig)
			install(i, NULL);
}

bool sample_signal_take(int sig)
{
	unsigned i = 0;
	sigset_t set, old;

	while (i < OURS && ours[i].sig)
		i++;
	if (i == OURS)
		return false;
	/* Other threads may get it as soon as it is ours. */
	set_action(sig, NULL, &ours[i].program);
	ours[i].was = 0;
	ours[i].sig = sig;
	if (!install(i, NULL)) {
		ours[i].sig = 0;
		return false;
	}
	sigemptyset(&set);
	sigaddset(&set, sig);
	real.pthread_sigmask(SIG_UNBLOCK, &set, &old);
	self.signals.masked |= word_of(&old) & bit(sig);
	return true;
}

static void keep_action(unsigned i, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction before = ours[i].program;

	if (act) {
		ours[i].program = *act;
		if (act->sa_flags & SA_ONSTACK)
			go_to_alternate();
		install(i, NULL);
	}
	if (old)
		*old = before;
}

/* The common part of signal(3) and its variants, which differ in their flags. */
static __sighandler_t keep_handler(unsigned i, __sighandler_t handler, int flags)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags }, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	keep_action(i, &act, &old);
	return old.sa_handler;
}

/* Not in all libcs, and not in all headers. */
EXPORT __sighandler_t bsd_signal(int sig, __sighandler_t handler);

#define SIGNAL(name, flags)                                                                                                  \
	EXPORT __sighandler_t name(int sig, __sighandler_t handler)                                                          \
	{                                                                                                                    \
		unsigned i = find_own(sig);                                                                                  \
                                                                                                                             \
		if (i < OURS)                                                                                                \
			return keep_handler(i, handler, flags);                                                              \
		return REAL(name) ? real.name(sig, handler) : REAL(signal)(sig, handler);                                    \
	}

SIGNAL(signal, ours[i].interrupts ? 0 : SA_RESTART)
SIGNAL(bsd_signal, ours[i].interrupts ? 0 : SA_RESTART)
SIGNAL(ssignal, ours[i].interrupts ? 0 : SA_RESTART)
SIGNAL(sysv_signal, (int)SA_RESETHAND | SA_NODEFER)
SIGNAL(__sysv_signal, (int)SA_RESETHAND | SA_NODEFER) /* signal of programs in strict ISO C */

EXPORT int siginterrupt(int sig, int interrupts)
{
	unsigned i = find_own(sig);

	if (i == OURS)
		return REAL(siginterrupt)(sig, interrupts);
	ours[i].interrupts = interrupts != 0;
	ours[i].program.sa_flags &= ~SA_RESTART;
	ours[i].program.sa_flags |= interrupts ? 0 : SA_RESTART;
	install(i, NULL);
	return 0;
}

/*
 * A handler on an alternate stack may leave no room there for the frame of a sample.
 * So our signals are blocked in such handlers, and only there.
 */
static struct {
	_Atomic bool added;     /* our signals are added to the mask of the handler */
	_Atomic uint64_t asked; /* those of them that the program had in it */
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
			set_word(&copy.sa_mask, word_of(&act->sa_mask) | sample_signal_word());
	}
	err = real.sigaction(sig, act ? &copy : NULL, old);
	if (err)
		return err;
	if (old && added)
		set_word(&old->sa_mask, (word_of(&old->sa_mask) & ~sample_signal_word()) | asked);
	if (act) {
		atomic_store_explicit(&masks[sig].asked, word_of(&act->sa_mask) & sample_signal_word(), memory_order_relaxed);
		atomic_store_explicit(&masks[sig].added, (copy.sa_flags & SA_ONSTACK) != 0, memory_order_relaxed);
	}
	return 0;
}

EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	unsigned i = find_own(sig);

	if (likely(!arena) || sig <= 0 || sig >= NSIG)
		return REAL(sigaction)(sig, act, old);
	if (i == OURS)
		return act_elsewhere(sig, act, old);
	keep_action(i, act, old);
	return 0;
}

/* Our handler calls the program's, so the kernel does not need the program's restorer. */
enum { RESTORER = 0x04000000 };

bool sample_signal_act(int sig, const void *act, void *old)
{
	const struct kernel_action *its = act;
	struct sigaction new = { 0 }, before;
	unsigned i = find_own(sig);

	if (i == OURS)
		return false;
	if (its) {
		new.sa_handler = its->handler;
		new.sa_flags = (int)its->flags & ~RESTORER;
		set_word(&new.sa_mask, its->mask);
	}
	keep_action(i, its ? &new : NULL, &before);
	if (old)
		*(struct kernel_action *)old = (struct kernel_action){
			.handler = before.sa_handler,
			.flags = (unsigned)before.sa_flags,
			.mask = word_of(&before.sa_mask),
		};
	return true;
}

/* ---- alternate stacks --------------------------------------------------------------------- */

static bool is_tight(const stack_t *stack)
{
	unsigned long frame = REAL(getauxval) ? real.getauxval(AT_MINSIGSTKSZ) : 0;

	return !(stack->ss_flags & SS_DISABLE) && stack->ss_size < (frame ? frame : FRAME_BYTES) + HANDLER_BYTES;
}

static void be_tight(bool tight)
{
	if (self.signals.tight == tight)
		return;
	self.signals.tight = tight;
	if (tight)
		atomic_store_explicit(&tight_seen, true, memory_order_relaxed);
	if (!self.slot || !atomic_load_explicit(&on_alternate, memory_order_relaxed))
		return;
	sampler_pause(tight);
	if (tight)
		atomic_fetch_add_explicit(&arena->threads_refused, 1, memory_order_relaxed);
}

EXPORT int sigaltstack(const stack_t *stack, stack_t *old)
{
	bool before = self.signals.tight, tight;
	int err;

	if (likely(!arena) || !stack)
		return REAL(sigaltstack)(stack, old);
	tight = is_tight(stack);
	if (tight)
		be_tight(true); /* before a sample could come there */
	err = REAL(sigaltstack)(stack, old);
	be_tight(err ? before : tight);
	return err;
}

/* ---- of a program that has been running without us ---------------------------------------- */

static bool wants_alternate(const struct sigaction *act)
{
	return (act->sa_flags & SA_ONSTACK) && act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN;
}

void sample_signal_adopt(void)
{
	struct sigaction now;

	for (unsigned i = 0; i < OURS; i++)
		if (ours[i].sig && wants_alternate(&ours[i].program))
			go_to_alternate();
	for (int sig = 1; sig < NSIG; sig++)
		if (find_own(sig) == OURS && real.sigaction(sig, NULL, &now) == 0 && wants_alternate(&now))
			act_elsewhere(sig, &now, NULL);
}

void sample_signal_adopt_stack(void)
{
	stack_t now = { .ss_flags = SS_DISABLE };

	SYS(SYS_sigaltstack, NULL, &now);
	self.signals.tight = is_tight(&now);
	if (self.signals.tight)
		atomic_store_explicit(&tight_seen, true, memory_order_relaxed);
}

void sample_signal_adopt_pending(void)
{
	uint64_t pending = 0;

	if (!self.signals.masked)
		return;
	sampler_pause(true);
	sample_signal_drain();
	SYS(SYS_rt_sigpending, &pending, sizeof(pending));
	self.signals.put_off = pending & self.signals.masked;
	if (!self.signals.put_off)
		sampler_pause(false);
}

enum { DRAINED = 8 }; /* signals of the program's, at a time */

/* Takes all that wait; those of the program's are added to info[0..*n). */
static void take_waiting(siginfo_t info[DRAINED], int *n)
{
	static const struct timespec at_once = { 0, 0 };
	const uint64_t set = sample_signal_word();
	int sig;

	while (*n < DRAINED && (sig = (int)SYS(SYS_rt_sigtimedwait, &set, &info[*n], &at_once, sizeof(set))) > 0)
		*n += !sampler_sent(sig, &info[*n]);
}

void sample_signal_drain(void)
{
	siginfo_t info[DRAINED];
	int n = 0;

	take_waiting(info, &n);
	if (n == 0)
		return;
	/* Where a sample waits by the number of a signal, that cannot be sent. */
	if (self.slot)
		sampler_pause(true);
	take_waiting(info, &n);
	for (int i = 0; i < n; i++)
		send_again(info[i].si_signo, &info[i]);
	if (self.slot && !self.signals.put_off)
		sampler_pause(false);
}

void sample_signal_give_back(void)
{
	struct sigaction now;

	for (int sig = 1; sig < NSIG; sig++) {
		if (!atomic_exchange_explicit(&masks[sig].added, false, memory_order_relaxed) || real.sigaction(sig, NULL, &now) != 0)
			continue;
		set_word(&now.sa_mask, (word_of(&now.sa_mask) & ~sample_signal_word()) |
					       atomic_load_explicit(&masks[sig].asked, memory_order_relaxed));
		real.sigaction(sig, &now, NULL);
	}
	for (unsigned i = 0; i < OURS; i++) {
		if (ours[i].sig)
			set_action(ours[i].sig, &ours[i].program, NULL);
		ours[i].was = ours[i].sig;
		ours[i].sig = 0;
	}
}

/* ---- masks ------------------------------------------------------------------------------ */

uint64_t sample_signal_believe(int how, uint64_t set)
{
	uint64_t before = self.signals.masked, its = set & sample_signal_word();

	self.signals.masked = how == SIG_BLOCK ? before | its : how == SIG_UNBLOCK ? before & ~its : its;
	return how == SIG_UNBLOCK ? set : set & ~its;
}

const sigset_t *sample_signal_suspend(const sigset_t *mask, sigset_t *copy, uint64_t *before)
{
	*before = self.signals.masked;
	if (!mask || !arena)
		return mask;
	*copy = *mask;
	set_word(copy, sample_signal_believe(SIG_SETMASK, word_of(mask)));
	return copy;
}

/* Noted before it is done: a deferred signal arrives as soon as it is unblocked. */
#define CHANGE_MASK(name, how, set, old)                                                                                     \
	do {                                                                                                                 \
		uint64_t before = self.signals.masked;                                                                               \
		sigset_t copy;                                                                                               \
		int err;                                                                                                     \
		if (likely(!arena))                                                                                          \
			return REAL(name)(how, set, old);                                                                    \
		if (set) {                                                                                                   \
			copy = *set;                                                                                         \
			set_word(&copy, sample_signal_believe(how, word_of(set)));                                           \
		}                                                                                                            \
		err = REAL(name)(how, set ? &copy : NULL, old);                                                              \
		if (err)                                                                                                     \
			self.signals.masked = before;                                                                                \
		else if (old)                                                                                                \
			set_word(old, word_of(old) | before);                                                                \
		sample_signal_settle();                                                                                      \
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

/* Older functions for the same, which libc implements by internal calls. */

static int mask_one(int how, int sig, sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	return sigaddset(&set, sig) == 0 ? sigprocmask(how, &set, old) : -1;
}

EXPORT int sighold(int sig)
{
	return find_own(sig) == OURS ? REAL(sighold)(sig) : mask_one(SIG_BLOCK, sig, NULL);
}

EXPORT int sigrelse(int sig)
{
	return find_own(sig) == OURS ? REAL(sigrelse)(sig) : mask_one(SIG_UNBLOCK, sig, NULL);
}

EXPORT int sigignore(int sig)
{
	unsigned i = find_own(sig);

	return i == OURS ? REAL(sigignore)(sig) : keep_handler(i, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

EXPORT __sighandler_t sigset(int sig, __sighandler_t handler)
{
	unsigned i = find_own(sig);
	__sighandler_t before;
	sigset_t mask;

	if (i == OURS)
		return REAL(sigset)(sig, handler);
	before = handler == SIG_HOLD ? ours[i].program.sa_handler : keep_handler(i, handler, 0);
	if (before == SIG_ERR || mask_one(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, sig, &mask) != 0)
		return SIG_ERR;
	return word_of(&mask) & bit(sig) ? SIG_HOLD : before;
}

/* The first 32 signals. */
static int mask_many(int how, int mask)
{
	sigset_t set, old;

	sigemptyset(&set);
	set_word(&set, (uint32_t)mask);
	return sigprocmask(how, &set, &old) == 0 ? (int)(uint32_t)word_of(&old) : -1;
}

EXPORT int sigblock(int mask)
{
	return likely(!arena) ? REAL(sigblock)(mask) : mask_many(SIG_BLOCK, mask);
}

EXPORT int sigsetmask(int mask)
{
	return likely(!arena) ? REAL(sigsetmask)(mask) : mask_many(SIG_SETMASK, mask);
}
