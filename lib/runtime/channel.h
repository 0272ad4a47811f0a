/*
 * channel: what a descriptor leads to.
 *
 * A pipe, an event counter or a socket whose other end belongs to the recording
 * is a channel between its threads: a reader waits for a writer, and the other way
 * round where it is full.  Such a wait is one for a peer.
 * Files, devices, terminals, and the rest of the world behind a socket are the
 * outside.
 *
 * What passes a channel in one direction has a key ("data").  A writer releases it,
 * and a reader waits for it.  The room for more of it has another key ("space").
 * Whether both ends belong to the recording is not known here: a key
 * that nobody ever releases is that of a channel from the outside.
 *
 * All functions: context any.  They ask the kernel when they have to, about one
 * system call a window and descriptor; so they are for when clocks matter
 * (wait_is_accounted).
 */
#ifndef ANDWEORC_RUNTIME_CHANNEL_H
#define ANDWEORC_RUNTIME_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Key of the data that can be read from fd (of connections, for a socket that listens); 0: no channel. */
uint64_t channel_in(int fd);

/* Key of the data that is written to fd; 0: no channel. */
uint64_t channel_out(int fd);

/* Key of the room for such data; 0 for 0. */
uint64_t channel_space(uint64_t data);

/* Key of what is sent to an address, one by one (datagrams) or by connecting to it; 0: a family that is not known. */
uint64_t channel_datagrams(const struct sockaddr *to, socklen_t size);
uint64_t channel_connections(const struct sockaddr *to, socklen_t size);

/*
 * Keys of what arrives at a socket and of what is sent; both are 0 before.  False
 * when they may be others the next time.
 */
bool channel_of_socket(int fd, uint64_t inode, uint64_t key[2]);

/* Key of a POSIX message queue, of the locks on a file, of a FIFO's other end being opened; 0: fd is none such. */
uint64_t channel_queue(int fd);
uint64_t channel_lock(int fd);
uint64_t channel_opening(int fd);

/* A timer: nobody but time lets a reader go on. */
bool channel_is_timer(int fd);

/* Kinds of descriptors that the kernel does not tell, or not quickly. */
void channel_is_event(int fd);
void channel_is_clock(int fd);
void channel_is_copy(int fd, int of);
void channel_are_pair(int a, int b);

/* The descriptor is closed, or is another one now; or all may be. */
void channel_forget(int fd);
void channel_forget_all(void);

#endif
