/*
 * actors: an actor system.  A dispatcher of three threads runs actors that have messages, up to four of them a turn, and
 * no actor in two threads at once.  A request comes to one of three session actors, which asks one of two pricing actors
 * and the one inventory actor; when both have answered, it tells the ledger, which posts it and, one time in four,
 * flushes its pages.  The inventory does what actors should not: it blocks its thread, for a database (a sleep).
 * Five requests are in flight; the ledger counts them and lets the next one in.
 */
#include "workload.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#define SIZED(name_, ms_)                                                                                                    \
	REGION_FUNCTION(WORKLOAD_OPAQUE, name_, ms_, (double size), WORKLOAD_LOOP((uint64_t)(size * (double)name_##_region.iterations)))

SIZED(accept_request, 0.15);
SIZED(price, 0.35);
SIZED(reserve, 0.35);
SIZED(post, 0.25);
SIZED(flush_pages, 0.5);

namespace
{

constexpr int threads = 3, in_flight = 5, sessions = 3, pricers = 2, turn = 4;

struct message {
	int request;
	bool answer;
	double size;
};

struct actor {
	std::mutex lock; /* of mailbox and scheduled */
	std::deque<message> mailbox;
	bool scheduled = false;

	virtual void receive(const message &m) = 0;
	virtual ~actor() = default;
};

struct dispatcher {
	std::mutex lock;
	std::condition_variable more;
	std::deque<actor *> ready;

	void schedule(actor *a)
	{
		{
			std::lock_guard<std::mutex> hold(lock);
			ready.push_back(a);
		}
		more.notify_one();
	}

	[[noreturn]] void run()
	{
		for (;;) {
			std::unique_lock<std::mutex> hold(lock);
			more.wait(hold, [this] { return !ready.empty(); });
			actor *a = ready.front();
			ready.pop_front();
			hold.unlock();
			run_turn(a);
		}
	}

	void run_turn(actor *a)
	{
		std::unique_lock<std::mutex> hold(a->lock);

		for (int i = 0; i < turn && !a->mailbox.empty(); i++) {
			message m = a->mailbox.front();
			a->mailbox.pop_front();
			hold.unlock();
			a->receive(m);
			hold.lock();
		}
		a->scheduled = !a->mailbox.empty();
		if (a->scheduled)
			schedule(a);
	}
};

/* Never freed: threads use them until the end. */
dispatcher *pool;
actor *session[sessions], *pricer[pricers], *inventory, *ledger;

void tell(actor *a, message m)
{
	bool wake;

	{
		std::lock_guard<std::mutex> hold(a->lock);
		a->mailbox.push_back(m);
		wake = !a->scheduled;
		a->scheduled = true;
	}
	if (wake)
		pool->schedule(a);
}

struct session_actor : actor {
	int answers[in_flight] = {};

	void receive(const message &m) override
	{
		if (!m.answer) {
			answers[m.request] = 0;
			accept_request(m.size);
			tell(pricer[(int)(m.size * 100) % pricers], m);
			tell(inventory, m);
		} else if (++answers[m.request] == 2) {
			tell(ledger, m);
		}
	}
};

struct pricing_actor : actor {
	void receive(const message &m) override
	{
		price(m.size * m.size);
		tell(session[m.request % sessions], {m.request, true, m.size});
	}
};

struct inventory_actor : actor {
	void receive(const message &m) override
	{
		struct timespec database = workload_timespec(0.25 * workload_scale);

		reserve(m.size);
		nanosleep(&database, nullptr);
		tell(session[m.request % sessions], {m.request, true, m.size});
	}
};

struct ledger_actor : actor {
	uint64_t state = 0x8ebc6af09c88c6e3u;
	unsigned posted = 0;

	void receive(const message &m) override
	{
		post(m.size);
		if (++posted % 4 == 0)
			flush_pages(1);
		workload_visit();
		begin(m.request);
	}

	void begin(int request)
	{
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		tell(session[request % sessions], {request, false, 0.5 + (double)(state >> 11) * 0x1p-53});
	}
};

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&accept_request_region, &price_region, &reserve_region, &post_region, &flush_pages_region, NULL};
	ledger_actor *first = new ledger_actor;

	workload_start(argc, argv, regions, 4);
	pool = new dispatcher;
	for (auto &s : session)
		s = new session_actor;
	for (auto &p : pricer)
		p = new pricing_actor;
	inventory = new inventory_actor;
	ledger = first;
	for (int i = 0; i < in_flight; i++)
		first->begin(i);
	for (int i = 1; i < threads; i++)
		std::thread(&dispatcher::run, pool).detach();
	pool->run();
}
