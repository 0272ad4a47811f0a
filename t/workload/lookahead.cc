/*
 * lookahead: a parser that wants tokens of block after block, which two helpers scan up to four blocks ahead, guessing
 * what state a block begins in.  A ring of four slots has a word each that says which block's
 * result is in it, or which block it is free for; all wait for these words (C++20's atomic wait).
 * The parser reduces the blocks in order; one guess in eight was wrong, and it scans half of
 * the block again itself.  Blocks count.
 */
#include "workload.h"

#include <array>
#include <thread>

REGION_FUNCTION(WORKLOAD_OPAQUE, scan, 0.8, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)scan_region.iterations)));
REGION(reduce, 0.35);
REGION(scan_again, 0.5);

namespace
{

constexpr unsigned ahead = 4, helpers = 2;

struct alignas(64) slot {
	std::atomic<uint32_t> turn{0}; /* twice the lap that it is free for, or that and one: scanned */
	unsigned block = 0;
	bool guess_wrong = false;

	void await(uint32_t wanted) const
	{
		for (uint32_t now; (now = turn.load()) != wanted;)
			turn.wait(now);
	}

	void advance(uint32_t to)
	{
		turn.store(to);
		turn.notify_all(); /* the parser, or the helper whose block is next, or both wait */
	}
};

uint64_t hashed(uint64_t n)
{
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
	n = (n ^ n >> 27) * 0x94d049bb133111ebu;
	return n ^ n >> 31;
}

struct parser {
	std::array<slot, ahead> ring;
	std::atomic<unsigned> next_block{0};

	[[noreturn]] void help()
	{
		for (;;) {
			unsigned k = next_block.fetch_add(1), lap = k / ahead;
			slot &s = ring[k % ahead];
			uint64_t text = hashed(k + 0x9e3779b97f4a7c15u);

			s.await(2 * lap);
			scan(0.5 + (double)(text >> 11) * 0x1p-53);
			s.block = k;
			s.guess_wrong = text % 8 == 0;
			s.advance(2 * lap + 1);
		}
	}

	[[noreturn]] void parse()
	{
		for (unsigned k = 0;; k++) {
			unsigned lap = k / ahead;
			slot &s = ring[k % ahead];

			s.await(2 * lap + 1);
			if (s.block != k)
				abort();
			if (s.guess_wrong)
				scan_again();
			reduce();
			s.advance(2 * (lap + 1));
			workload_visit();
		}
	}
};

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&scan_region, &reduce_region, &scan_again_region, NULL};

	workload_start(argc, argv, regions, 1);
	parser *p = new parser; /* never freed */

	for (unsigned i = 0; i < helpers; i++)
		std::thread(&parser::help, p).detach();
	p->parse();
}
