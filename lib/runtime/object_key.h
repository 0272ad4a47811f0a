/* object_key: names of sync objects, the same in all processes; never 0. */
#ifndef ANDWEORC_RUNTIME_OBJECT_KEY_H
#define ANDWEORC_RUNTIME_OBJECT_KEY_H

#include <stdbool.h>
#include <stdint.h>

/* any: the key of an object in memory.  In shared memory, all processes get the same key for it. */
uint64_t key_of_address(const volatile void *p);

/* any: is the object in memory that this process shares with others, or may share with children? */
bool key_is_shared(const volatile void *p);

/* any: where this process has mapped that place of a file that is open as fd, to share it; NULL: it is unknown. */
void *key_mapping(int fd, uint64_t offset);

/* any: the key of any other object, from a letter for its kind and the numbers that identify it. */
uint64_t key_of(char kind, uint64_t a, uint64_t b);

#endif
