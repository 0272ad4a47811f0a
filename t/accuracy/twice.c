/*
 * twice.c: makes each call of a function of a library take twice as long.
 *
 * t/accuracy/installed preloads it into programs as they are installed.  Built once for
 * each function (-DFUNCTION_deflate).  With the variable TWICE=twice a call is followed
 * by as much time, spent on a processor; with any other value it is only timed.  The
 * difference of the two is the time of the function.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined FUNCTION_deflate
#include <zlib.h>
#define NAME deflate
#define TYPE int
#define PARAMETERS z_streamp stream, int flush
#define ARGUMENTS stream, flush
#elif defined FUNCTION_inflate
#include <zlib.h>
#define NAME inflate
#define TYPE int
#define PARAMETERS z_streamp stream, int flush
#define ARGUMENTS stream, flush
#elif defined FUNCTION_crc32_z
#define NAME crc32_z
#define TYPE unsigned long
#define PARAMETERS unsigned long crc, const unsigned char *data, size_t n
#define ARGUMENTS crc, data, n
#elif defined FUNCTION_EVP_Digest
#define NAME EVP_Digest
#define TYPE int
#define PARAMETERS const void *data, size_t n, unsigned char *digest, unsigned *size, const void *type, void *engine
#define ARGUMENTS data, n, digest, size, type, engine
#elif defined FUNCTION_fdatasync
#define NAME fdatasync
#define TYPE int
#define PARAMETERS int fd
#define ARGUMENTS fd
#elif defined FUNCTION_unlink
#define NAME unlink
#define TYPE int
#define PARAMETERS const char *path
#define ARGUMENTS path
#else
#error "no function"
#endif

#define STRING(x) #x
#define NAME_OF(x) STRING(x)

static TYPE (*real)(PARAMETERS);
static int twice;

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Before main, as the first call may be on any thread. */
__attribute__((constructor)) static void find(void)
{
	const char *mode = getenv("TWICE");

	real = (TYPE (*)(PARAMETERS))dlsym(RTLD_NEXT, NAME_OF(NAME));
	twice = mode && strcmp(mode, "twice") == 0;
}

TYPE NAME(PARAMETERS)
{
	long long began = now_ns(), until;
	TYPE result = real(ARGUMENTS);

	until = now_ns();
	until += twice ? until - began : 0;
	while (now_ns() < until)
		;
	return result;
}
