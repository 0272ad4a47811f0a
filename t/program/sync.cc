/*
 * The ways of C++20 to wait and to wake, each run again and again for SYNC_MS
 * milliseconds (default 1: once); it must say the same each time.  Beside them a
 * thread works, in templates that are inlined into `hot`, on its lines.
 */
#include <andweorc.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <latch>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

namespace
{

constexpr int rounds = 50;

[[gnu::noinline]] std::uint64_t hot(const std::vector<std::uint64_t> &v, std::uint64_t seed)
{
	return std::accumulate(v.begin(), v.end(), seed, [](auto sum, auto x) { // hot
		return (sum ^ sum << 13) + (x ^ x >> 7); // hot
	});
}

std::string latches()
{
	std::latch started(3), finished(2);
	std::atomic<int> sum{0};
	std::jthread a([&] { started.arrive_and_wait(); sum += 1; finished.count_down(); });
	std::jthread b([&] { started.arrive_and_wait(); sum += 2; finished.count_down(); });

	started.arrive_and_wait();
	finished.wait();
	return "latches " + std::to_string(sum);
}

std::string barriers()
{
	int phases = 0;
	std::barrier meet(3, [&]() noexcept { phases++; });
	{
		std::vector<std::jthread> t;

		for (int i = 0; i < 3; i++)
			t.emplace_back([&] {
				for (int n = 0; n < 20; n++)
					meet.arrive_and_wait();
			});
	}
	return "barriers " + std::to_string(phases);
}

std::string semaphores()
{
	std::counting_semaphore<8> items(0);
	std::binary_semaphore room(1);
	int got = 0;
	std::jthread t([&] {
		for (int n = 0; n < rounds; n++) {
			items.acquire();
			got++;
			room.release();
		}
	});

	for (int n = 0; n < rounds; n++) {
		room.acquire();
		items.release();
	}
	t.join();
	room.acquire();
	return "semaphores " + std::to_string(got) + " " + std::to_string(items.try_acquire()) +
	       std::to_string(items.try_acquire_for(200us)) + std::to_string(items.try_acquire_until(clock_type::now() + 200us));
}

std::string atomics()
{
	std::atomic<int> turn{0};
	std::atomic_flag flag;
	std::jthread t([&] {
		for (int n = 0; n < rounds; n++) {
			turn.wait(0);
			turn = 0;
			turn.notify_one();
		}
		flag.test_and_set();
		flag.notify_all();
	});

	for (int n = 0; n < rounds; n++) {
		turn = 1;
		turn.notify_one();
		turn.wait(1);
	}
	flag.wait(false);
	return "atomics " + std::to_string(turn) + std::to_string(flag.test());
}

std::string conditions()
{
	std::mutex m;
	std::condition_variable c;
	std::condition_variable_any any;
	std::shared_mutex shared;
	int turn = 0;
	bool late, in_time;
	std::jthread t([&] {
		std::unique_lock hold(m);

		for (int n = 0; n < rounds; n++) {
			c.wait(hold, [&] { return turn == 1; });
			turn = 0;
			c.notify_one();
		}
	});

	{
		std::unique_lock hold(m);

		for (int n = 0; n < rounds; n++) {
			turn = 1;
			c.notify_one();
			in_time = c.wait_for(hold, 30s, [&] { return turn == 0; });
		}
		late = c.wait_for(hold, 200us) == std::cv_status::timeout &&
		       c.wait_until(hold, std::chrono::system_clock::now() + 200us) == std::cv_status::timeout;
	}
	std::shared_lock hold(shared);
	late = late && any.wait_for(hold, 200us) == std::cv_status::timeout;
	return "conditions " + std::to_string(in_time) + std::to_string(late);
}

std::string timed()
{
	std::shared_timed_mutex shared;
	std::timed_mutex timed;
	std::recursive_timed_mutex again;
	std::string said = "timed ";

	shared.lock();
	timed.lock();
	again.lock();
	said += std::to_string(again.try_lock_for(1ms));
	std::jthread([&] {
		said += std::to_string(shared.try_lock_for(200us)) + std::to_string(shared.try_lock_shared_for(200us)) +
			std::to_string(timed.try_lock_for(200us)) +
			std::to_string(timed.try_lock_until(std::chrono::system_clock::now() + 200us)) +
			std::to_string(again.try_lock_for(200us)) + std::to_string(timed.try_lock());
	}).join();
	{
		std::jthread t([&] { std::this_thread::sleep_for(300us); });
		std::jthread waits([&] { said += std::to_string(shared.try_lock_shared_for(30s)); shared.unlock_shared(); });

		t.join();
		shared.unlock();
	}
	timed.unlock();
	again.unlock();
	again.unlock();
	return said;
}

std::string stops()
{
	std::atomic<int> stopped{0};
	std::condition_variable_any c;
	std::mutex m;
	{
		std::jthread waits([&](std::stop_token stop) {
			std::unique_lock hold(m);

			stopped += c.wait(hold, stop, [] { return false; }) ? 100 : 1;
		});
		std::stop_callback call(waits.get_stop_token(), [&] { stopped += 10; });

		std::this_thread::sleep_for(200us);
		waits.request_stop();
		waits.join();
	}
	return "stops " + std::to_string(stopped);
}

std::string futures()
{
	std::once_flag once;
	std::promise<int> promise;
	std::shared_future<int> answer = promise.get_future().share();
	int calls = 0, threw = 0;
	auto ask = [&] {
		try {
			std::call_once(once, [&] {
				std::this_thread::sleep_for(100us);
				if (calls++ == 0)
					throw 1;
			});
		} catch (int) {
			threw++;
		}
		return answer.get();
	};
	auto a = std::async(std::launch::async, ask), b = std::async(std::launch::async, ask);
	bool late = answer.wait_for(200us) == std::future_status::timeout;

	promise.set_value(21);
	int sum = a.get() + b.get();
	return "futures " + std::to_string(sum) + " " + std::to_string(calls) + std::to_string(threw) + std::to_string(late);
}

using way = std::string (*)();
constexpr way ways[] = {latches, barriers, semaphores, atomics, conditions, timed, stops, futures};

} // namespace

int main()
{
	const char *ms = std::getenv("SYNC_MS");
	auto end = clock_type::now() + std::chrono::milliseconds(ms ? std::atoi(ms) : 1);
	std::vector<std::uint64_t> numbers(4096);
	std::atomic<std::uint64_t> last{1};
	std::vector<std::string> first;
	std::jthread worker([&](std::stop_token stop) {
		while (!stop.stop_requested()) {
			last = hot(numbers, last);
			ANDWEORC_PROGRESS("sum");
		}
	});

	for (way w : ways)
		first.push_back(w());
	while (clock_type::now() < end)
		for (std::size_t i = 0; i < first.size(); i++)
			if (std::string said = ways[i](); said != first[i])
				std::printf("differs: %s\n", said.c_str());
	for (const auto &said : first)
		std::puts(said.c_str());
}
