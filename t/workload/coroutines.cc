/*
 * coroutines: C++20's, on two threads that take the ones that can go on from a list.
 * There are two pairs of coroutines: one of a pair makes an item, awaits that there is
 * room for it, and hands it over; the other one awaits the item, and works on it.
 * Each goes on in whichever thread is free.
 *
 * An item takes 0.6 to make and 1.0 to work on.  Two pairs fill two threads, so both
 * count by their share: shrunk by half, make 18.8 %, use 31.2 %.
 */
#include "workload.h"

#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>
#include <utility>

REGION(make, 0.6);
REGION(use, 1.0);

namespace
{

/* Coroutines that can go on, and the threads that are waiting for one. */
class scheduler
{
	std::mutex lock;
	std::condition_variable more;
	std::deque<std::coroutine_handle<>> ready;

public:
	void add(std::coroutine_handle<> task)
	{
		{
			std::lock_guard<std::mutex> hold(lock);
			ready.push_back(task);
		}
		more.notify_one();
	}

	[[noreturn]] void run()
	{
		for (;;) {
			std::unique_lock<std::mutex> hold(lock);
			more.wait(hold, [&] { return !ready.empty(); });
			std::coroutine_handle<> task = ready.front();
			ready.pop_front();
			hold.unlock();
			task.resume();
		}
	}
} tasks;

/* A coroutine that begins in a thread of the scheduler, and never ends. */
struct task {
	struct promise_type {
		task get_return_object()
		{
			tasks.add(std::coroutine_handle<promise_type>::from_promise(*this));
			return {};
		}
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};

/* Room for one item between two coroutines. */
class slot
{
	std::mutex lock;
	bool full = false;
	std::coroutine_handle<> waiting; /* until the other one has changed it */

	struct change {
		slot &at;
		bool full;

		bool await_ready() noexcept { return false; }
		void await_resume() noexcept {}

		/* False: it goes on at once. */
		bool await_suspend(std::coroutine_handle<> self)
		{
			std::lock_guard<std::mutex> hold(at.lock);
			if (at.full == full)
				return false;
			at.waiting = self;
			return true;
		}
	};

public:
	/* To be awaited: it is full, or empty.  Only the one that asks changes that. */
	change is(bool state) { return {*this, state}; }

	void set(bool state)
	{
		std::coroutine_handle<> other;
		{
			std::lock_guard<std::mutex> hold(lock);
			full = state;
			other = std::exchange(waiting, nullptr);
		}
		if (other)
			tasks.add(other);
	}
};

task producer(slot &to)
{
	for (;;) {
		make();
		co_await to.is(false);
		to.set(true);
	}
}

task consumer(slot &from)
{
	for (;;) {
		co_await from.is(true);
		from.set(false);
		use();
		workload_visit();
	}
}

void *work(void *arg)
{
	tasks.run();
	return arg;
}

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&make_region, &use_region, NULL};
	static slot pair[2];

	workload_start(argc, argv, regions, 1);
	for (slot &one : pair) {
		producer(one);
		consumer(one);
	}
	workload_run_two(work, NULL, work, NULL);
}
