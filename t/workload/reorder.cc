/*
 * reorder: a pipeline of three stages with four threads.  One cuts blocks, two squeeze every
 * second block each, one packs them, in the order in which they were cut, so a long block
 * makes later ones wait that are ready.  One block in five is three times as long to
 * squeeze.  Six blocks may be under way; all waits are C++20's semaphores.
 */
#include "workload.h"

#include <semaphore>
#include <thread>

REGION(cut, 0.15);
REGION_FUNCTION(WORKLOAD_OPAQUE, squeeze, 0.5, (double factor),
		WORKLOAD_LOOP((uint64_t)(factor *(double)squeeze_region.iterations)));
REGION(pack, 0.45);

namespace
{

constexpr unsigned places = 6, lanes = 2;

struct pipeline {
	struct place {
		double size = 0;
		std::binary_semaphore squeezed{0};
	} place[places];
	std::counting_semaphore<places> room{places};
	std::counting_semaphore<places> filled[lanes] = {std::counting_semaphore<places>{0},
							 std::counting_semaphore<places>{0}};

	[[noreturn]] void cutter()
	{
		uint64_t state = 0x853c49e6748fea9bu;

		for (unsigned n = 0;; n++) {
			room.acquire();
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			cut();
			place[n % places].size = (state >> 20) % 5 == 0 ? 2.14 : 0.714; /* 1 on average */
			filled[n % lanes].release();
		}
	}

	[[noreturn]] void squeezer(unsigned lane)
	{
		for (unsigned n = lane;; n += lanes) {
			filled[lane].acquire();
			squeeze(place[n % places].size);
			place[n % places].squeezed.release();
		}
	}

	[[noreturn]] void packer()
	{
		for (unsigned n = 0;; n++) {
			place[n % places].squeezed.acquire();
			pack();
			room.release();
			workload_visit();
		}
	}
};

static_assert(places % lanes == 0);

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&cut_region, &squeeze_region, &pack_region, NULL};

	workload_start(argc, argv, regions, 1);
	pipeline *line = new pipeline; /* never freed */
	std::thread(&pipeline::cutter, line).detach();
	for (unsigned lane = 0; lane < lanes; lane++)
		std::thread(&pipeline::squeezer, line, lane).detach();
	line->packer();
}
