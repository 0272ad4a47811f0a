/*
 * mapreduce: three workers fetch the twelve map tasks of a job from a counter.  A task is mapped,
 * and its output combined into one of two partitions under that partition's lock.  The worker that finishes the last task merges
 * the partitions, while the others wait at the job's std::latch, makes the next job and lets
 * them go on to it.  Splits differ in size by a factor of three.  Jobs count.
 */
#include "workload.h"

#include <array>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

REGION_FUNCTION(WORKLOAD_OPAQUE, map_split, 0.3, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)map_split_region.iterations)));
REGION(combine, 0.07);
REGION(merge_partitions, 0.6);

namespace
{

constexpr int splits = 12, partitions = 2, workers = 3;

struct partition {
	std::mutex lock;
	int outputs = 0;
};

struct job {
	std::array<double, splits> size;
	std::array<partition, partitions> output;
	std::atomic<int> next_split{0};
	std::atomic<int> unfinished{splits};
	std::latch merged{1};
	std::shared_ptr<job> successor; /* set before the latch opens */

	explicit job(uint64_t &state)
	{
		for (double &s : size) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			s = 0.5 + (double)(state >> 11) * 0x1p-53;
		}
	}

	int total() const
	{
		int sum = 0;

		for (const partition &p : output)
			sum += p.outputs;
		return sum;
	}
};

/* Only the worker that merges uses it: one thread at a time. */
uint64_t job_dice = 0x632be59bd9b4e019u;

void map_one(job &j, int split)
{
	partition &to = j.output[(size_t)(split % partitions)];

	map_split(j.size[(size_t)split]);
	std::lock_guard<std::mutex> hold(to.lock);
	combine();
	to.outputs++;
}

void reduce(job &j)
{
	merge_partitions();
	if (j.total() != splits)
		abort();
	j.successor = std::make_shared<job>(job_dice);
	workload_visit();
	j.merged.count_down();
}

void worker(std::shared_ptr<job> j)
{
	for (;;) {
		for (int split; (split = j->next_split.fetch_add(1)) < splits;) {
			map_one(*j, split);
			if (j->unfinished.fetch_sub(1) == 1)
				reduce(*j);
		}
		j->merged.wait();
		std::shared_ptr<job> next = j->successor;
		j = std::move(next);
	}
}

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&map_split_region, &combine_region, &merge_partitions_region, NULL};

	workload_start(argc, argv, regions, 1);
	std::shared_ptr<job> first = std::make_shared<job>(job_dice);

	for (int i = 1; i < workers; i++)
		std::thread(worker, first).detach();
	worker(std::move(first));
}
