/*
 * cxxsync: C++20's ways to wait between two threads, each once a round: an atomic
 * that is waited on, a counting semaphore, a condition variable with a time-out,
 * a latch.  The first thread asks, the second serves; then it asks again, and
 * what it has left to do is hidden behind the second serving.
 *
 * Round: ask 0.6, serve 0.8, ask 0.6, serve 0.8 and beside it left 0.3.  Shrunk
 * by half: ask 21.4 %, serve 28.6 %, left 0.
 */
#include "workload.h"

#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <optional>
#include <semaphore>

REGION(ask, 0.6);
REGION(serve, 0.8);
REGION(left, 0.3);

namespace
{

struct exchange {
	std::atomic<int> asked{0};
	std::counting_semaphore<> served{0};
	std::mutex lock;
	std::condition_variable changed;
	int asked_again = 0;
	std::optional<std::latch> done[2]; /* of this round and of the one before, which the other thread may still be leaving */
};

void *first(void *arg)
{
	exchange &x = *static_cast<exchange *>(arg);

	for (int n = 1;; n++) {
		x.done[n % 2].emplace(2);
		ask();
		x.asked = n;
		x.asked.notify_one();
		x.served.acquire();
		ask();
		{
			std::lock_guard<std::mutex> hold(x.lock);
			x.asked_again = n;
		}
		x.changed.notify_one();
		left();
		x.done[n % 2]->arrive_and_wait();
		workload_visit();
	}
}

void *second(void *arg)
{
	exchange &x = *static_cast<exchange *>(arg);

	for (int n = 1;; n++) {
		x.asked.wait(n - 1);
		serve();
		x.served.release();
		{
			std::unique_lock<std::mutex> hold(x.lock);
			while (!x.changed.wait_for(hold, std::chrono::milliseconds(5), [&] { return x.asked_again == n; }))
				continue;
		}
		serve();
		x.done[n % 2]->arrive_and_wait();
	}
}

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&ask_region, &serve_region, &left_region, NULL};
	/* Never freed: the program ends while the other thread waits for something in it. */
	exchange *x = new exchange;

	workload_start(argc, argv, regions, 1);
	workload_run_two(first, x, second, x);
}
