/*
 * channel: what a descriptor leads to.
 *
 * A pipe, an event counter, a socket or a pseudo-terminal whose other end belongs to the
 * recording is a channel between threads of the recording.  A reader waits for a writer; a writer
 * waits for a reader while the channel is full.  Such a wait is one for a peer.  Files,
 * devices, other terminals, and sockets to strangers are the outside.
 *
 * The data in one direction of a channel has a key ("data"): a writer releases it, and
 * a reader waits for it.  The free room in that direction has another key ("space"): a
 * reader releases it, and a writer waits for it.  This module does not know whether
 * both ends belong to the recording.  A key that is never released belongs to a channel
 * from the outside.
 *
 * All functions: context any.  They ask the kernel where they must, about one system
 * call for each descriptor in each window.  So call them only while clocks matter
 * (wait_is_accounted).
 */
#ifndef ANDWEORC_WRAP_CHANNEL_H
#define ANDWEORC_WRAP_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Key of the data that can be read from fd (of connections, for a socket that listens); 0: no channel. */
uint64_t channel_in(int fd);

/* Key of the data that is written to fd; 0: no channel. */
uint64_t channel_out(int fd);

/* Key of the room for such data; 0 for 0. */
uint64_t channel_space(uint64_t data);

/* Is it known, in this window, that no thread of the recording can be at the other end?  That asks nobody. */
bool channel_is_outside(int fd);

/* Key of an address to which datagrams are sent, or connections made; 0: an unknown address family. */
uint64_t channel_datagrams(const struct sockaddr *to, socklen_t size);
uint64_t channel_connections(const struct sockaddr *to, socklen_t size);

/*
 * Sets the keys of data received from a socket, and of data sent to it; the caller has
 * set both to 0.  False when the keys may change and must not be remembered.
 */
bool channel_of_socket(int fd, uint64_t inode, uint64_t key[2]);

/*
 * Keys of a POSIX message queue, of the locks on a file, and of the opening of a FIFO's
 * other end; 0: fd is not such a file.
 */
uint64_t channel_queue(int fd);
uint64_t channel_lock(int fd);
uint64_t channel_opening(int fd);

/* Is it a timer descriptor?  Its readers wait for time alone. */
bool channel_is_timer(int fd);

/* Key that a thread releases that sets the timer fd to end once; 0: it is not so set. */
uint64_t channel_alarm(int fd);

/* Notes kinds of descriptors about which the kernel cannot be asked, or not quickly. */
void channel_is_event(int fd);
void channel_is_clock(int fd, bool once); /* once: it has been set to end once, so long after that */
void channel_is_signals(int fd);
void channel_is_copy(int fd, int of);
void channel_are_pair(int a, int b);

/* Forgets a descriptor and such a note of it: the program has closed it. */
void channel_is_closed(int fd);

/* Forgets what the kernel has told of a descriptor, which may stand for something else now; or of all descriptors. */
void channel_forget(int fd);
void channel_forget_all(void);

/* A number that all copies of a descriptor of epoll have; else one of the descriptor's own. */
uint64_t channel_serial(int fd);

/*
 * The key of what the other end waits for, if that ends with the descriptor: of the end of a
 * pipe that is written to, or of a connection; else 0.
 */
uint64_t channel_ended_by_close(int fd);

#endif
