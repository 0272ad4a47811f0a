/* Functions of libc that have wrappers in object_key.c; see real.h. */
#ifndef ANDWEORC_RUNTIME_REAL_MEMORY_H
#define ANDWEORC_RUNTIME_REAL_MEMORY_H

#include <stddef.h>
#include <sys/types.h>

#define REAL_MEMORY(X) \
	X(mmap, void *, (void *, size_t, int, int, int, off_t)) \
	X(munmap, int, (void *, size_t))

#endif
