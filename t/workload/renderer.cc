/*
 * renderer: frames of ten tiles.  Two threads shade tiles, taken from a counter, while a third
 * one simulates the next frame, and then shades what is left.  They meet at std::barrier.
 * The last one to come presents the frame and swaps the buffers while the others wait.  A fourth thread has
 * nothing to do with them: it mixes sound every 2.5 ms.
 */
#include "workload.h"

#include <array>
#include <barrier>
#include <chrono>
#include <thread>

REGION_FUNCTION(WORKLOAD_OPAQUE, shade, 0.2, (double factor),
		WORKLOAD_LOOP((uint64_t)(factor *(double)shade_region.iterations)));
REGION(simulate, 0.6);
REGION(present, 0.35);
REGION(mix, 0.25);

namespace
{

constexpr int tiles = 10;

struct screen {
	std::array<double, tiles> scene[2]; /* how much there is to shade in a tile */
	int front = 0;                      /* what is shaded */
	std::atomic<int> next_tile{0};
	uint64_t state = 0xaef17502108ef2d9u;

	void shade_tiles()
	{
		for (int i; (i = next_tile.fetch_add(1)) < tiles;)
			shade(scene[front][(size_t)i]);
	}

	void compose(std::array<double, tiles> &to)
	{
		for (double &tile : to) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			tile = 0.3 + 1.4 * (double)(state >> 11) * 0x1p-53;
		}
	}
};

struct swap_buffers {
	screen *s;

	void operator()() noexcept
	{
		present();
		s->front ^= 1;
		s->next_tile = 0;
		workload_visit();
	}
};

using meeting = std::barrier<swap_buffers>;

void shader(screen &s, meeting &meet)
{
	for (;;) {
		s.shade_tiles();
		meet.arrive_and_wait();
	}
}

void simulator(screen &s, meeting &meet)
{
	for (;;) {
		simulate();
		s.compose(s.scene[s.front ^ 1]);
		s.shade_tiles();
		meet.arrive_and_wait();
	}
}

void sound()
{
	auto next = std::chrono::steady_clock::now();

	for (;;) {
		next += std::chrono::microseconds((long)(2500 * workload_scale));
		std::this_thread::sleep_until(next);
		mix();
	}
}

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&shade_region, &simulate_region, &present_region, &mix_region, NULL};

	workload_start(argc, argv, regions, 1);
	/* Never freed. */
	screen &s = *new screen;
	meeting &meet = *new meeting(3, swap_buffers{&s});

	s.compose(s.scene[0]);
	std::thread(sound).detach();
	std::thread(shader, std::ref(s), std::ref(meet)).detach();
	std::thread(shader, std::ref(s), std::ref(meet)).detach();
	simulator(s, meet);
}
