/*
 * occ: a database in memory, with optimistic transactions.  Three threads each remember the versions of three records, execute without
 * a lock, and then, with the exclusive lock of a std::shared_mutex, validate that the versions are still the same,
 * and install new ones; otherwise they execute again.  Half of the records are drawn from ten hot ones.  A
 * checkpointer copies the database at a fixed rate, in six parts with the shared lock, encodes each, and writes them to a file with
 * fdatasync(2).  Transactions count.
 */
#include "workload.h"

#include <array>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unistd.h>

REGION_FUNCTION(WORKLOAD_OPAQUE, execute, 0.3, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)execute_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, validate, 0.006, (int records), WORKLOAD_LOOP((uint64_t)records * validate_region.iterations));
REGION_FUNCTION(WORKLOAD_OPAQUE, install, 0.05, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)install_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, copy_part, 0.06, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)copy_part_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, encode, 0.12, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)encode_region.iterations)));

namespace
{

constexpr unsigned workers = 3, touched = 3, hot = 10, records = 200, parts = 6;

class dice
{
	uint64_t state;

public:
	explicit dice(uint64_t seed) : state(0xbea225f9eb34556du + seed * 0x9e3779b97f4a7c15u)
	{
	}

	double operator()() /* between 0 and 1 */
	{
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		return (double)(state >> 11) * 0x1p-53;
	}

	unsigned record()
	{
		return (unsigned)((*this)() * ((*this)() < 0.5 ? hot : records));
	}
};

struct database {
	std::shared_mutex commits;
	std::array<std::atomic<unsigned>, records> version{};
};

struct transaction {
	std::array<unsigned, touched> record, version;
	double size;

	explicit transaction(dice &draw)
	{
		for (unsigned &r : record)
			r = draw.record();
		size = 0.4 + 1.8 * draw() * draw() + (draw() < 0.05 ? 3 : 0); /* 1 on average */
	}

	/* False if it has to be done again. */
	bool attempt(database &db)
	{
		for (unsigned i = 0; i < touched; i++)
			version[i] = db.version[record[i]];
		execute(size);
		std::unique_lock<std::shared_mutex> hold(db.commits);
		validate(touched);
		for (unsigned i = 0; i < touched; i++)
			if (version[i] != db.version[record[i]])
				return false;
		install(0.5 + size / 2);
		for (unsigned i = 1; i < touched; i++) /* the first one is only read */
			db.version[record[i]]++;
		return true;
	}
};

[[noreturn]] void worker(database &db, unsigned number)
{
	for (dice draw(number);;) {
		transaction t(draw);

		while (!t.attempt(db))
			continue;
		workload_visit();
	}
}

int unnamed_file()
{
	char name[] = "/tmp/occ.XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0 || unlink(name))
		workload_die("cannot make", name);
	return fd;
}

[[noreturn]] void checkpointer(database &db)
{
	auto next = std::chrono::steady_clock::now();
	int fd = unnamed_file();
	dice draw(workers);

	for (;;) {
		std::array<unsigned, records> copy;

		next += std::chrono::microseconds((long)(7000 * workload_scale));
		std::this_thread::sleep_until(next);
		for (unsigned part = 0; part < parts; part++) {
			double size = 0.5 + draw();
			{
				std::shared_lock<std::shared_mutex> hold(db.commits);

				copy_part(size);
				for (unsigned i = part * records / parts; i < (part + 1) * records / parts; i++)
					copy[i] = db.version[i];
			}
			encode(size);
		}
		if (pwrite(fd, copy.data(), sizeof copy, 0) != (ssize_t)sizeof copy || fdatasync(fd))
			workload_die("cannot write", "a checkpoint");
	}
}

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&execute_region, &validate_region, &install_region, &copy_part_region, &encode_region, NULL};

	workload_start(argc, argv, regions, 1);
	database *db = new database; /* never freed */
	for (unsigned i = 0; i < workers; i++)
		std::thread(worker, std::ref(*db), i).detach();
	checkpointer(*db);
}
