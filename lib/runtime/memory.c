/*
 * memory: private versions of libc's functions on memory and strings.
 *
 * Sanitizers replace those of libc: AddressSanitizer and ThreadSanitizer check the
 * memory that they access, and would report accesses to our shared memory as races of
 * the program.  The functions here are hidden, and are also used by calls that the
 * compiler inserts.
 *
 * Nothing here is fast: the runtime copies little, or only once.  (For strings of the
 * program, libc's strlen may be used.)
 *
 * Context: any.
 */
#include <stddef.h>
#include <string.h>

/* Otherwise compilers recognise the loop, and replace it by a call of the function that contains it. */
#define KEEP_LOOP() __asm__ volatile("" ::: "memory")

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
#if defined(__x86_64__)
	void *at = to;

	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(n) : : "memory");
#else
	for (size_t i = 0; i < n; i++) {
		((char *)to)[i] = ((const char *)from)[i];
		KEEP_LOOP();
	}
#endif
	return to;
}

void *memset(void *to, int c, size_t n)
{
#if defined(__x86_64__)
	void *at = to;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(c) : "memory");
#else
	for (size_t i = 0; i < n; i++) {
		((unsigned char *)to)[i] = (unsigned char)c;
		KEEP_LOOP();
	}
#endif
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	if ((size_t)((char *)to - (const char *)from) >= n)
		return memcpy(to, from, n);
	while (n-- > 0) {
		((char *)to)[n] = ((const char *)from)[n];
		KEEP_LOOP();
	}
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n > 0; n--, x++, y++) {
		if (*x != *y)
			return *x - *y;
		KEEP_LOOP();
	}
	return 0;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n > 0 && *a && *a == *b; n--, a++, b++)
		KEEP_LOOP();
	return n > 0 ? (unsigned char)*a - (unsigned char)*b : 0;
}

int strcmp(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		KEEP_LOOP();
	return (unsigned char)*a - (unsigned char)*b;
}

char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
	size_t i = 0;

	for (; i < n && from[i]; i++) {
		to[i] = from[i];
		KEEP_LOOP();
	}
	memset(to + i, 0, n - i);
	return to;
}

char *strstr(const char *in, const char *what)
{
	size_t n = 0;

	for (; what[n]; n++)
		KEEP_LOOP();
	for (; *in; in++)
		if (strncmp(in, what, n) == 0)
			return (char *)(size_t)in;
	return NULL;
}
