/*
 * A program of Kokkos: kokkos STEPS TURNS.  A step is three kernels, of which `slow`
 * (parallel_for) takes about three times as long as each of the others; an event
 * "step"; a region "solve" with a region "inner" in it; and a section "part".
 * What was summed up goes to standard output.
 */
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ProfileSection.hpp>
#include <cstdio>
#include <cstdlib>

static unsigned spend(int turns)
{
	unsigned x = 1;

	for (int i = 0; i < turns; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

__attribute__((noinline, noclone)) static void slow(const Kokkos::View<unsigned *> &v, int turns)
{
	Kokkos::parallel_for("slow", v.extent(0), KOKKOS_LAMBDA(int i) { v(i) = spend(3 * turns); });
}

__attribute__((noinline, noclone)) static unsigned fast(const Kokkos::View<unsigned *> &v, int turns)
{
	unsigned sum = 0;

	Kokkos::parallel_reduce("fast", v.extent(0), KOKKOS_LAMBDA(int i, unsigned &s) { s += v(i) + spend(turns); }, sum);
	return sum;
}

__attribute__((noinline, noclone)) static void scan(const Kokkos::View<unsigned *> &v, int turns)
{
	Kokkos::parallel_scan("scan", v.extent(0), KOKKOS_LAMBDA(int i, unsigned &s, bool last) {
		s += v(i) + spend(turns);
		if (last)
			v(i) = s;
	});
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 1, turns = argc > 2 ? atoi(argv[2]) : 1;
	unsigned sum = 0;

	Kokkos::initialize(argc, argv);
	{
		/* To fill it with zeros would be a kernel more. */
		Kokkos::View<unsigned *> v(Kokkos::view_alloc(Kokkos::WithoutInitializing, "v"), 16);
		Kokkos::Profiling::ProfilingSection part("part");

		for (int i = 0; i < steps; i++) {
			Kokkos::Profiling::pushRegion("solve");
			slow(v, turns);
			Kokkos::Profiling::pushRegion("inner");
			sum += fast(v, turns);
			Kokkos::Profiling::popRegion();
			part.start();
			scan(v, turns);
			part.stop();
			Kokkos::Profiling::popRegion();
			Kokkos::Profiling::markEvent("step");
		}
	}
	Kokkos::finalize();
	printf("%u\n", sum);
	return 0;
}
