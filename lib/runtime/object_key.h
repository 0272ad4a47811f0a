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

/* Kinds of objects, each with the numbers that identify one. */
enum key_kind {
	KEY_ADDRESS = 1,   /* in private memory: address; process */
	KEY_MAPPED,        /* in shared memory: mapping; offset */
	KEY_MAPPED_FILE,   /* a mapping of a file: device; inode */
	KEY_MAPPED_MEMORY, /* a mapping without a file: serial number */
	KEY_THREAD,        /* its life: pthread_t; process */
	KEY_CHILD,         /* the end of a child: its pid */
	KEY_CHILDREN,      /* the end of any child: pid of the parent */
	KEY_SIGNAL_PROCESS, /* for a process: its pid; the signal.  Also for a thread: */
	KEY_SIGNAL_TID,
	KEY_SIGNAL_PTHREAD,
	KEY_WOKEN,         /* waits that the program declares */
	KEY_CAUGHT_UP,     /* what a program declares that wakes others */
	KEY_SPAN,          /* process and point; number of the span */
	KEY_PIPE,          /* device; inode */
	KEY_FIFO_END,      /* that somebody opens the other end: device; inode */
	KEY_SOCKET,        /* a pair of local ones: inode */
	KEY_CONNECTION,    /* of TCP: both ends */
	KEY_IP4,           /* one end: address; port */
	KEY_IP6,
	KEY_SPACE,         /* room in a channel: the key of its data */
	KEY_COUNTER,       /* of eventfd: serial number */
	KEY_ALARM,         /* a timer that is set to end once: descriptor; process */
	KEY_TERMINAL,      /* a pseudo-terminal: number; which end */
	KEY_QUEUE,         /* a message queue of POSIX: device; inode */
	KEY_FILE_LOCK,     /* device; inode */
	KEY_SEMAPHORE,     /* a named one of POSIX: device; inode */
	KEY_SYSV_SEMAPHORE, /* set; number */
	KEY_SYSV_QUEUE,    /* its identifier */
	KEY_EPOLL,         /* what a value stands for: value; channel_serial of the descriptor */
	KEY_RING,          /* of io_uring: descriptor; process */
	KEY_RING_VALUE,    /* what a value stands for: value; descriptor */
	KEY_RING_REQUEST,  /* tag; process and descriptor */
	KEY_AIO,           /* a request of POSIX: address; process */
	KEY_OPENMP,        /* see omp_key */
	KEY_MPI,           /* see mpi.c */
};

/* any: the key of such an object. */
uint64_t key_of(enum key_kind kind, uint64_t a, uint64_t b);

#endif
