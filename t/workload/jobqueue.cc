/*
 * jobqueue: a pool of two workers with a priority queue: urgent jobs, one in three and short, go before bulk
 * ones, which are three times as long.  A dispatcher prepares jobs, eight of which may be outstanding
 * (a POSIX semaphore).  The main thread gets the results by futures, in the order of
 * submission, so urgent results may wait for bulk ones; it tallies and counts them.
 */
#include "workload.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <errno.h>
#include <future>
#include <mutex>
#include <semaphore.h>
#include <thread>
#include <utility>
#include <vector>

REGION(prepare, 0.25);
REGION(urgent, 0.3);
REGION(bulk, 0.9);
REGION(tally, 0.3);

namespace
{

constexpr unsigned outstanding = 8;

struct job {
	bool is_urgent = false;
	unsigned serial = 0;
	std::promise<unsigned> result;

	/* Whether the other one goes first: the older one of two of the same kind. */
	bool operator<(const job &other) const
	{
		if (is_urgent != other.is_urgent)
			return other.is_urgent;
		return (int)(serial - other.serial) > 0;
	}
};

struct service {
	sem_t slots;
	std::mutex lock; /* of heap and results */
	std::condition_variable more_jobs, more_results;
	std::vector<job> heap;
	std::deque<std::future<unsigned>> results;

	[[noreturn]] void dispatch()
	{
		uint64_t state = 0xe7037ed1a0b428dbu;

		for (unsigned n = 0;; n++) {
			while (sem_wait(&slots))
				if (errno != EINTR)
					workload_die("cannot wait for", "the semaphore");
			prepare();
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			job j;
			j.is_urgent = (state >> 20) % 3 == 0;
			j.serial = n;
			{
				std::lock_guard<std::mutex> hold(lock);
				results.push_back(j.result.get_future());
				heap.push_back(std::move(j));
				std::push_heap(heap.begin(), heap.end());
			}
			more_jobs.notify_one();
			more_results.notify_one();
		}
	}

	[[noreturn]] void work()
	{
		for (;;) {
			std::unique_lock<std::mutex> hold(lock);
			more_jobs.wait(hold, [this] { return !heap.empty(); });
			std::pop_heap(heap.begin(), heap.end());
			job j = std::move(heap.back());
			heap.pop_back();
			hold.unlock();
			if (j.is_urgent)
				urgent();
			else
				bulk();
			j.result.set_value(j.serial);
		}
	}

	[[noreturn]] void collect()
	{
		for (unsigned n = 0;; n++) {
			std::unique_lock<std::mutex> hold(lock);
			more_results.wait(hold, [this] { return !results.empty(); });
			std::future<unsigned> f = std::move(results.front());
			results.pop_front();
			hold.unlock();
			if (f.get() != n)
				abort();
			tally();
			sem_post(&slots);
			workload_visit();
		}
	}
};

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&prepare_region, &urgent_region, &bulk_region, &tally_region, NULL};

	workload_start(argc, argv, regions, 1);
	service *s = new service; /* never freed */

	sem_init(&s->slots, 0, outstanding);
	for (int i = 0; i < 2; i++)
		std::thread(&service::work, s).detach();
	std::thread(&service::dispatch, s).detach();
	s->collect();
}
