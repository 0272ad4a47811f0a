/*
 * lrushard: a cache of four shards, each with a read-write lock, a list and a hash table.
 * Four front ends look keys up, most of them popular ones, in the shared mode; a miss waits for
 * a store (a sleep), and is then installed in the exclusive mode.  Every few
 * milliseconds a fifth thread rebuilds a shard exclusively, and a sixth one tallies all shards,
 * sharing.  Front ends count.
 */
#include "workload.h"

#include <array>
#include <chrono>
#include <iterator>
#include <list>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>

REGION(decode, 0.3);
REGION(probe, 0.25);
REGION(install, 0.5);
REGION(rebuild, 0.7);

namespace
{

constexpr unsigned shards = 4, keys = 512;
constexpr size_t capacity = 48; /* of a shard */

struct entry {
	unsigned key;
	std::atomic<bool> used{false}; /* since the clock hand came by */
	explicit entry(unsigned k) : key(k)
	{
	}
};

struct shard {
	std::shared_mutex lock;
	std::list<entry> order; /* next victim first */
	std::unordered_map<unsigned, std::list<entry>::iterator> index;

	bool find(unsigned key)
	{
		std::shared_lock<std::shared_mutex> hold(lock);
		auto found = index.find(key);

		probe();
		if (found == index.end())
			return false;
		found->second->used.store(true, std::memory_order_relaxed);
		return true;
	}

	void put(unsigned key)
	{
		std::unique_lock<std::shared_mutex> hold(lock);

		install();
		if (index.count(key))
			return; /* someone else was faster */
		while (order.size() >= capacity) {
			if (order.front().used.exchange(false, std::memory_order_relaxed)) {
				order.splice(order.end(), order, order.begin());
				continue;
			}
			index.erase(order.front().key);
			order.pop_front();
		}
		order.emplace_back(key);
		index[key] = std::prev(order.end());
	}
};

using cache = std::array<shard, shards>;

struct dice {
	uint64_t state;

	explicit dice(unsigned seed) : state(0x9e3779b97f4a7c15u * (seed + 1))
	{
	}
	double roll() /* 0 to 1 */
	{
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		return (double)(state >> 11) * 0x1p-53;
	}
};

void pause_for(double ms)
{
	std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms * workload_scale));
}

void front_end(cache &all, unsigned number)
{
	dice d(number);

	for (;;) {
		double u = d.roll();
		unsigned key = (unsigned)(u * u * u * keys);
		shard &s = all[key % shards];

		decode();
		if (!s.find(key)) {
			pause_for(1.2);
			s.put(key);
		}
		workload_visit();
	}
}

void rebuilder(cache &all)
{
	for (unsigned n = 0;; n++) {
		pause_for(3.5);
		shard &s = all[n % shards];
		std::unique_lock<std::shared_mutex> hold(s.lock);
		rebuild();
		s.order.reverse();
	}
}

void teller(cache &all)
{
	for (volatile size_t sum = 0;;) {
		pause_for(4.0);
		for (shard &s : all) {
			std::shared_lock<std::shared_mutex> hold(s.lock);
			probe();
			sum = sum + s.order.size();
		}
	}
}

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&decode_region, &probe_region, &install_region, &rebuild_region, NULL};

	workload_start(argc, argv, regions, 1);
	cache &all = *new cache; /* never freed: threads use it until the end */
	for (unsigned i = 0; i < 4; i++)
		std::thread(front_end, std::ref(all), i).detach();
	std::thread(rebuilder, std::ref(all)).detach();
	teller(all);
}
