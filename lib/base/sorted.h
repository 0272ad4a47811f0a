/*
 * sorted: finds the position of a number in a sorted array.
 */
#ifndef ANDWEORC_BASE_SORTED_H
#define ANDWEORC_BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>

/*
 * The number of elements of array[0..n) that are not above x.  Its elements, of `size`
 * bytes each, begin with a 64 bit number without sign, and are sorted by it.
 */
static inline size_t sorted_up_to(const void *array, size_t n, size_t size, uint64_t x)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const uint64_t *number = (const void *)((const char *)array + mid * size);

		if (*number <= x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

#endif
