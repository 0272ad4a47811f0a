/*
 * transcode: a transcoder of video, a thread for each of its five stages and bounded queues between them.  The
 * demuxer reads packets in the order of coding, some at a time (a sleep); the decoder brings frames into the order in
 * which they are shown, for which it holds an anchor back until the next one; the filter scales frames and denoises those
 * after a change of scene at length; the encoder looks ahead at each frame and, when it has three, codes the third one,
 * which the other two refer to, and then those; the muxer writes packets.  Packets written count.
 */
#include "workload.h"

#include <array>
#include <mutex>
#include <optional>
#include <semaphore>
#include <thread>

#define SIZED(name_, ms_)                                                                                                    \
	REGION_FUNCTION(WORKLOAD_OPAQUE, name_, ms_, (double size), WORKLOAD_LOOP((uint64_t)(size * (double)name_##_region.iterations)))

SIZED(decode, 0.22);
SIZED(filter, 0.26);
SIZED(look_ahead, 0.1);
SIZED(encode, 0.55);
SIZED(mux, 0.06);

namespace
{

constexpr int group = 12, anchors_every = 3, scene = 31;
constexpr double read_ms = 0.3;
constexpr unsigned packets_a_read = 6;

enum class kind { intra, predicted, bidirectional };

struct frame {
	uint64_t number; /* in the order in which they are shown */
	kind type;
	double size;
};

template <unsigned Room> class bounded_queue
{
public:
	void put(const frame &f)
	{
		free.acquire();
		{
			std::lock_guard<std::mutex> hold(lock);
			frames[written++ % Room] = f;
		}
		used.release();
	}

	frame get()
	{
		frame f;

		used.acquire();
		{
			std::lock_guard<std::mutex> hold(lock);
			f = frames[read++ % Room];
		}
		free.release();
		return f;
	}

private:
	std::counting_semaphore<Room> free{Room}, used{0};
	std::mutex lock;
	std::array<frame, Room> frames;
	uint64_t written = 0, read = 0;
};

struct queues {
	bounded_queue<8> packets, decoded, coded;
	bounded_queue<4> filtered;
};

queues *between; /* never freed: threads use them until the end */

uint64_t mixed(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

double fraction(uint64_t x)
{
	return (double)(mixed(x) >> 11) * 0x1p-53;
}

/* How much there is to see in the scene of a frame. */
double motion(uint64_t number)
{
	return 0.6 + 0.8 * fraction(number / scene + 99);
}

bool is_anchor(uint64_t number)
{
	return number % anchors_every == 0;
}

frame packet(uint64_t number)
{
	const kind type = number % group == 0 ? kind::intra : is_anchor(number) ? kind::predicted : kind::bidirectional;
	const double base = type == kind::intra ? 1.9 : type == kind::predicted ? 1.2 : 0.75;

	return {number, type, base * (0.7 + 0.6 * fraction(number))};
}

void emit_packet(uint64_t number)
{
	static unsigned left = 0;

	if (left-- == 0) {
		struct timespec disk = workload_timespec(read_ms * workload_scale);

		nanosleep(&disk, nullptr);
		left = packets_a_read - 1;
	}
	between->packets.put(packet(number));
}

/* 0 3 1 2 6 4 5 9 ... */
[[noreturn]] void run_demuxer()
{
	emit_packet(0);
	for (uint64_t anchor = anchors_every;; anchor += anchors_every) {
		emit_packet(anchor);
		for (uint64_t b = anchor - anchors_every + 1; b < anchor; b++)
			emit_packet(b);
	}
}

[[noreturn]] void run_decoder()
{
	std::optional<frame> held;

	for (;;) {
		frame f = between->packets.get();

		decode(f.size);
		if (!is_anchor(f.number)) {
			between->decoded.put(f);
			continue;
		}
		if (held)
			between->decoded.put(*held);
		held = f;
	}
}

[[noreturn]] void run_filter()
{
	for (;;) {
		frame f = between->decoded.get();

		filter(f.number % scene < 3 ? 3.2 : 0.6 + 0.4 * motion(f.number));
		between->filtered.put(f);
	}
}

void encode_as(frame f, kind type)
{
	f.type = type;
	f.size = motion(f.number) * (type == kind::intra ? 0.9 : type == kind::predicted ? 1.3 : 0.85);
	encode(f.size);
	between->coded.put(f);
}

[[noreturn]] void run_encoder()
{
	std::array<frame, anchors_every> mini_group;

	for (uint64_t groups = 0;; groups++) {
		for (auto &f : mini_group) {
			f = between->filtered.get();
			look_ahead(motion(f.number));
		}
		encode_as(mini_group.back(), groups % 8 == 0 ? kind::intra : kind::predicted);
		for (unsigned i = 0; i + 1 < mini_group.size(); i++)
			encode_as(mini_group[i], kind::bidirectional);
	}
}

[[noreturn]] void run_muxer()
{
	for (;;) {
		frame f = between->coded.get();

		mux(0.5 + 0.5 * f.size);
		workload_visit();
	}
}

} // namespace

int main(int argc, char **argv)
{
	struct region *regions[] = {&decode_region, &filter_region, &look_ahead_region, &encode_region, &mux_region, NULL};

	workload_start(argc, argv, regions, anchors_every);
	between = new queues;
	std::thread(run_demuxer).detach();
	std::thread(run_decoder).detach();
	std::thread(run_filter).detach();
	std::thread(run_encoder).detach();
	run_muxer();
}
