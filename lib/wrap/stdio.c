/*
 * stdio: calls on streams that lead to system calls.
 *
 * libc's streams read and write by internal calls, so the functions that a program
 * calls are interposed.  The fields of the stream tell whether a call will reach the
 * kernel; they are part of glibc's binary interface, since its macros are compiled into
 * programs.  If the data is in the buffer, or fits into it, nothing is accounted for:
 * getc and putc cost one more comparison.
 *
 * The buffer is examined without a lock, so another thread that uses the stream can
 * make the result wrong.  Then a wait is missed, or a call that does not block is
 * accounted for.  No memory outside the buffer is read.
 *
 * Not here: scanf and wide characters.
 */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* glibc's header has some of these functions inline */
#endif
#include <string.h>

#include "fd_wait.h"

/* ---- is it in the buffer? --------------------------------------------------------------- */

/* How much can be read without the kernel. */
static size_t buffered(const FILE *f)
{
	const char *at = f->_IO_read_ptr, *end = f->_IO_read_end;

	return at < end ? (size_t)(end - at) : 0;
}

/* Does the buffer hold a whole line, or as much of it as the caller wants? */
static bool has_line(const FILE *f, int end_of_line, size_t wanted)
{
	const char *at = f->_IO_read_ptr, *end = f->_IO_read_end;

	/* Characters that were put back (ungetc) can lie in another buffer. */
	if (!at || at >= end || at < f->_IO_buf_base || end > f->_IO_buf_end)
		return false;
	return (size_t)(end - at) >= wanted || memchr(at, end_of_line, (size_t)(end - at));
}

enum {
	UNBUFFERED = 0x2, /* _IO_UNBUFFERED and _IO_LINE_BUF, which glibc's headers do not name any more */
	BY_LINE = 0x200,
	PRINTED = 256, /* the output of one call is mostly shorter */
};

/* Do n bytes fit?  An end of line among them is not looked for. */
static bool fits(const FILE *f, size_t n)
{
	const char *at = f->_IO_write_ptr, *end = f->_IO_buf_end;

	if (f->_flags & (UNBUFFERED | BY_LINE))
		return false;
	/* A stream that has no buffer yet will get one. */
	return end ? at < end && n < (size_t)(end - at) : n < PRINTED;
}

/* Does one byte fit?  This is the test of putc itself. */
static bool fits_one(const FILE *f)
{
	return f->_IO_write_ptr < f->_IO_write_end;
}

/* Not backed by a descriptor: a stream in memory, or with functions of the program. */
static bool is_internal(const FILE *f)
{
	return f->_fileno < 0;
}

/* Number of bytes that have been written and are still in the buffer. */
static int64_t pending(const FILE *f)
{
	return f->_IO_write_ptr - f->_IO_write_base;
}

/* ---- the lock of a stream ------------------------------------------------------------------ */

/* The program's own call of flockfile.  Inlined, so that SITE is the program's call. */
static inline __attribute__((always_inline)) int take_stream(FILE *f)
{
	LOCK(f, EBUSY, REAL(ftrylockfile)(f) == 0 ? 0 : EBUSY, (REAL(flockfile)(f), 0));
}

/*
 * A call locks its stream, in libc, where nobody sees it: a thread that formats a long line keeps others from writing
 * theirs.  So a stream that several threads use is locked here, too; libc then takes a lock that the thread has.  Other
 * streams are not: two events for each character would be too many.
 */
enum { SET_LOCKING = 0x8000 }; /* _IO_USER_LOCK: the program has asked for streams without locks */

static bool is_shared(const FILE *f)
{
	return wait_has_peers() && !(f->_flags & SET_LOCKING) && !lock_note_owner(f, 0);
}

static void give_stream(void *f)
{
	object_unlock(f, NULL);
	REAL(funlockfile)(f);
}

/*
 * A call can be cancelled; then the stream is unlocked, as libc would do.  pthread_cleanup_push calls these functions.  musl
 * does not have them.  Its programs are not profiled, but LD_PRELOAD loads this library into them.
 */
#ifndef ANDWEORC_STATIC
#pragma weak __pthread_register_cancel
#pragma weak __pthread_unregister_cancel
#pragma weak __pthread_unwind_next
#endif

#define WITH_LOCK(f, statement)                                                                                              \
	do {                                                                                                                 \
		if (likely(!is_shared(f))) {                                                                                 \
			statement;                                                                                           \
			break;                                                                                               \
		}                                                                                                            \
		take_stream(f);                                                                                              \
		pthread_cleanup_push(give_stream, f);                                                                        \
		statement;                                                                                                   \
		pthread_cleanup_pop(1);                                                                                      \
	} while (0)

/*
 * The calls, whose result is got_.  The number of bytes that the kernel moved follows from the bytes
 * that the call took (`taken`, of got_) or gave (`given`), and from the change of the
 * buffer.
 */
#define READ(f, ready, taken, call)                                                                                          \
	do {                                                                                                                 \
		struct fd_wait t_;                                                                                           \
		int64_t had_ = (int64_t)buffered(f);                                                                         \
		if ((ready) || is_internal(f)) {                                                                             \
			got_ = call;                                                                                         \
			break;                                                                                               \
		}                                                                                                            \
		fd_wait_begin(&t_, (f)->_fileno, NO_FD, SITE);                                                               \
		got_ = CALL(call);                                                                                           \
		fd_wait_end(&t_, true);                                                                                      \
		moved_count((f)->_fileno, NO_FD, (int64_t)(taken) + (int64_t)buffered(f) - had_, true);                      \
	} while (0)

#define WRITE(f, fits, given, call)                                                                                          \
	do {                                                                                                                 \
		struct fd_wait t_;                                                                                           \
		int64_t had_ = pending(f);                                                                                   \
		if ((fits) || is_internal(f)) {                                                                              \
			got_ = call;                                                                                         \
			break;                                                                                               \
		}                                                                                                            \
		fd_wait_begin(&t_, NO_FD, (f)->_fileno, SITE);                                                               \
		got_ = CALL(call);                                                                                           \
		fd_wait_end(&t_, true);                                                                                      \
		moved_count(NO_FD, (f)->_fileno, (int64_t)(given) + had_ - pending(f), true);                                \
	} while (0)

/* The body of a wrapper: `statement` makes the call, and sets got_. */
#define WATCHED(call, statement)                                                                                             \
	do {                                                                                                                 \
		__typeof__(call) got_;                                                                                       \
		if (likely(!wait_is_watched()))                                                                              \
			return call;                                                                                         \
		statement;                                                                                                   \
		return got_;                                                                                                 \
	} while (0)

#define READING(f, ready, taken, call) WATCHED(call, WITH_LOCK(f, READ(f, ready, taken, call)))
#define WRITING(f, fits, given, call) WATCHED(call, WITH_LOCK(f, WRITE(f, fits, given, call)))

/* For functions that do not lock the stream. */
#define READING_UNLOCKED(f, ready, taken, call) WATCHED(call, READ(f, ready, taken, call))
#define WRITING_UNLOCKED(f, fits, given, call) WATCHED(call, WRITE(f, fits, given, call))

/* The header defines these as macros. */
#undef fread_unlocked
#undef fwrite_unlocked

/* Functions of _FORTIFY_SOURCE, which headers declare only when it is on. */
size_t __fread_chk(void *restrict to, size_t room, size_t size, size_t n, FILE *restrict f);
size_t __fread_unlocked_chk(void *restrict to, size_t room, size_t size, size_t n, FILE *restrict f);
char *__fgets_chk(char *restrict to, size_t room, int n, FILE *restrict f);
char *__fgets_unlocked_chk(char *restrict to, size_t room, int n, FILE *restrict f);
int __printf_chk(int flag, const char *restrict format, ...);
int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...);
int __vprintf_chk(int flag, const char *restrict format, va_list args);
int __vfprintf_chk(FILE *restrict f, int flag, const char *restrict format, va_list args);
int __dprintf_chk(int fd, int flag, const char *restrict format, ...);
int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list args);

/* ---- input --------------------------------------------------------------------------------- */

EXPORT size_t fread(void *restrict to, size_t size, size_t n, FILE *restrict f)
{
	READING(f, size * n <= buffered(f), got_ * size, REAL(fread)(to, size, n, f));
}

EXPORT size_t fread_unlocked(void *restrict to, size_t size, size_t n, FILE *restrict f)
{
	READING_UNLOCKED(f, size * n <= buffered(f), got_ * size, REAL(fread_unlocked)(to, size, n, f));
}

EXPORT size_t __fread_chk(void *restrict to, size_t room, size_t size, size_t n, FILE *restrict f)
{
	READING(f, size * n <= buffered(f), got_ * size, REAL(__fread_chk)(to, room, size, n, f));
}

EXPORT size_t __fread_unlocked_chk(void *restrict to, size_t room, size_t size, size_t n, FILE *restrict f)
{
	READING_UNLOCKED(f, size * n <= buffered(f), got_ * size, REAL(__fread_unlocked_chk)(to, room, size, n, f));
}

EXPORT char *fgets(char *restrict to, int n, FILE *restrict f)
{
	READING(f, has_line(f, '\n', (size_t)n), got_ ? strlen(to) : 0, REAL(fgets)(to, n, f));
}

EXPORT char *fgets_unlocked(char *restrict to, int n, FILE *restrict f)
{
	READING_UNLOCKED(f, has_line(f, '\n', (size_t)n), got_ ? strlen(to) : 0, REAL(fgets_unlocked)(to, n, f));
}

EXPORT char *__fgets_chk(char *restrict to, size_t room, int n, FILE *restrict f)
{
	READING(f, has_line(f, '\n', (size_t)n), got_ ? strlen(to) : 0, REAL(__fgets_chk)(to, room, n, f));
}

EXPORT char *__fgets_unlocked_chk(char *restrict to, size_t room, int n, FILE *restrict f)
{
	READING_UNLOCKED(f, has_line(f, '\n', (size_t)n), got_ ? strlen(to) : 0, REAL(__fgets_unlocked_chk)(to, room, n, f));
}

EXPORT ssize_t getdelim(char **restrict to, size_t *restrict room, int end, FILE *restrict f)
{
	READING(f, has_line(f, end, SIZE_MAX), got_ > 0 ? got_ : 0, REAL(getdelim)(to, room, end, f));
}

/* Called by the header's inline getline. */
EXPORT ssize_t __getdelim(char **restrict to, size_t *restrict room, int end, FILE *restrict f)
{
	READING(f, has_line(f, end, SIZE_MAX), got_ > 0 ? got_ : 0, REAL(getdelim)(to, room, end, f));
}

EXPORT ssize_t getline(char **restrict to, size_t *restrict room, FILE *restrict f)
{
	READING(f, has_line(f, '\n', SIZE_MAX), got_ > 0 ? got_ : 0, REAL(getline)(to, room, f));
}

EXPORT int fgetc(FILE *f)
{
	READING(f, buffered(f) > 0, got_ != EOF, REAL(fgetc)(f));
}

EXPORT int getc(FILE *f)
{
	READING(f, buffered(f) > 0, got_ != EOF, REAL(fgetc)(f));
}

EXPORT int getchar(void)
{
	READING(stdin, buffered(stdin) > 0, got_ != EOF, REAL(fgetc)(stdin));
}

/* Called by getc of older headers, which was a macro; the same for putc. */
int _IO_getc(FILE *f);
int _IO_putc(int c, FILE *f);

EXPORT int _IO_getc(FILE *f)
{
	READING(f, buffered(f) > 0, got_ != EOF, REAL(fgetc)(f));
}

/* Called by the header's getc_unlocked when the buffer is empty. */
EXPORT int __uflow(FILE *f)
{
	READING_UNLOCKED(f, false, got_ != EOF, REAL(__uflow)(f));
}

/* ---- output -------------------------------------------------------------------------------- */

EXPORT size_t fwrite(const void *restrict from, size_t size, size_t n, FILE *restrict f)
{
	WRITING(f, fits(f, size * n), got_ * size, REAL(fwrite)(from, size, n, f));
}

EXPORT size_t fwrite_unlocked(const void *restrict from, size_t size, size_t n, FILE *restrict f)
{
	WRITING_UNLOCKED(f, fits(f, size * n), got_ * size, REAL(fwrite_unlocked)(from, size, n, f));
}

EXPORT int fputs(const char *restrict from, FILE *restrict f)
{
	WRITING(f, fits(f, strlen(from)), strlen(from), REAL(fputs)(from, f));
}

EXPORT int fputs_unlocked(const char *restrict from, FILE *restrict f)
{
	WRITING_UNLOCKED(f, fits(f, strlen(from)), strlen(from), REAL(fputs_unlocked)(from, f));
}

EXPORT int puts(const char *from)
{
	WRITING(stdout, fits(stdout, strlen(from) + 1), strlen(from) + 1, REAL(puts)(from));
}

EXPORT int fputc(int c, FILE *f)
{
	WRITING(f, fits_one(f), got_ != EOF, REAL(fputc)(c, f));
}

EXPORT int putc(int c, FILE *f)
{
	WRITING(f, fits_one(f), got_ != EOF, REAL(fputc)(c, f));
}

EXPORT int putchar(int c)
{
	WRITING(stdout, fits_one(stdout), got_ != EOF, REAL(fputc)(c, stdout));
}

EXPORT int _IO_putc(int c, FILE *f)
{
	WRITING(f, fits_one(f), got_ != EOF, REAL(fputc)(c, f));
}

/* Called by the header's putc_unlocked when the buffer is full. */
EXPORT int __overflow(FILE *f, int c)
{
	WRITING_UNLOCKED(f, false, got_ != EOF, REAL(__overflow)(f, c));
}

/* ---- formatted output ------------------------------------------------------------------------ */

/* Longer output than was thought may reach the kernel, too, so it is always counted. */
#define PRINT(f, call)                                                                                                       \
	do {                                                                                                                 \
		struct fd_wait t_;                                                                                           \
		int64_t had_ = pending(f);                                                                                   \
		bool waits_ = !fits(f, PRINTED);                                                                             \
		if (is_internal(f)) {                                                                                        \
			got_ = call;                                                                                         \
			break;                                                                                               \
		}                                                                                                            \
		if (waits_)                                                                                                  \
			fd_wait_begin(&t_, NO_FD, (f)->_fileno, SITE);                                                       \
		got_ = CALL(call);                                                                                           \
		if (waits_)                                                                                                  \
			fd_wait_end(&t_, true);                                                                              \
		moved_count(NO_FD, (f)->_fileno, (got_ > 0 ? got_ : 0) + had_ - pending(f), true);                           \
	} while (0)

#define PRINTING(f, call) WATCHED(call, WITH_LOCK(f, PRINT(f, call)))

EXPORT int vfprintf(FILE *restrict f, const char *restrict format, va_list args)
{
	PRINTING(f, REAL(vfprintf)(f, format, args));
}

EXPORT int vprintf(const char *restrict format, va_list args)
{
	PRINTING(stdout, REAL(vfprintf)(stdout, format, args));
}

EXPORT int vdprintf(int fd, const char *restrict format, va_list args)
{
	MOVE(NO_FD, fd, true, REAL(vdprintf)(fd, format, args));
}

EXPORT int __vfprintf_chk(FILE *restrict f, int flag, const char *restrict format, va_list args)
{
	PRINTING(f, REAL(__vfprintf_chk)(f, flag, format, args));
}

EXPORT int __vprintf_chk(int flag, const char *restrict format, va_list args)
{
	PRINTING(stdout, REAL(__vfprintf_chk)(stdout, flag, format, args));
}

EXPORT int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list args)
{
	MOVE(NO_FD, fd, true, REAL(__vdprintf_chk)(fd, flag, format, args));
}

/* Body of a variadic wrapper, which passes the arguments after `format` as a va_list. */
#define VARIADIC(f, format, call)                                                                                            \
	do {                                                                                                                 \
		va_list args;                                                                                                \
		int got_;                                                                                                    \
		va_start(args, format);                                                                                      \
		if (likely(!wait_is_watched()))                                                                              \
			got_ = call;                                                                                         \
		else                                                                                                         \
			WITH_LOCK(f, PRINT(f, call));                                                                        \
		va_end(args);                                                                                                \
		return got_;                                                                                                 \
	} while (0)

EXPORT int printf(const char *restrict format, ...)
{
	VARIADIC(stdout, format, REAL(vfprintf)(stdout, format, args));
}

EXPORT int fprintf(FILE *restrict f, const char *restrict format, ...)
{
	VARIADIC(f, format, REAL(vfprintf)(f, format, args));
}

EXPORT int __printf_chk(int flag, const char *restrict format, ...)
{
	VARIADIC(stdout, format, REAL(__vfprintf_chk)(stdout, flag, format, args));
}

EXPORT int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...)
{
	VARIADIC(f, format, REAL(__vfprintf_chk)(f, flag, format, args));
}

/* Has no buffer, so it always writes. */
#define VARIADIC_FD(fd, format, call)                                                                                        \
	do {                                                                                                                 \
		struct fd_wait t_;                                                                                           \
		va_list args;                                                                                                \
		int n_;                                                                                                      \
		t_.wait.t = NULL;                                                                                            \
		if (wait_is_watched())                                                                                       \
			fd_wait_begin(&t_, NO_FD, fd, SITE);                                                                 \
		va_start(args, format);                                                                                      \
		n_ = CALL(call);                                                                                             \
		va_end(args);                                                                                                \
		fd_wait_end(&t_, n_ >= 0);                                                                                   \
		if (t_.wait.t)                                                                                               \
			moved_count(NO_FD, fd, n_, true);                                                                    \
		return n_;                                                                                                   \
	} while (0)

EXPORT int dprintf(int fd, const char *restrict format, ...)
{
	VARIADIC_FD(fd, format, REAL(vdprintf)(fd, format, args));
}

EXPORT int __dprintf_chk(int fd, int flag, const char *restrict format, ...)
{
	VARIADIC_FD(fd, format, REAL(__vdprintf_chk)(fd, flag, format, args));
}

/* ---- emptying the buffer ---------------------------------------------------------------------- */

static bool is_empty(const FILE *f)
{
	return f->_IO_write_ptr == f->_IO_write_base;
}

/* NULL means all streams: it is not known which of them lead to peers. */
EXPORT int fflush(FILE *f)
{
	if (f)
		WRITING(f, is_empty(f), 0, REAL(fflush)(f));
	WAIT_OUTSIDE(REAL(fflush)(f));
}

EXPORT int fflush_unlocked(FILE *f)
{
	if (!f)
		return fflush(f);
	WRITING_UNLOCKED(f, is_empty(f), 0, REAL(fflush_unlocked)(f));
}

/* The stream no longer exists when the call returns. */
EXPORT int fclose(FILE *f)
{
	struct fd_wait t;
	int64_t rest;
	int fd = f->_fileno, err;

	if (likely(!wait_is_watched()) || is_empty(f) || is_internal(f)) {
		if (unlikely(arena != NULL))
			fd_wait_closes(fd, SITE);
		channel_is_closed(fd);
		return REAL(fclose)(f);
	}
	rest = pending(f);
	file_lock_end(fd, SITE);
	fd_wait_begin(&t, NO_FD, fd, SITE);
	err = CALL(REAL(fclose)(f));
	fd_wait_end(&t, true);
	channel_is_closed(fd);
	moved_count(NO_FD, fd, rest, true);
	return err;
}

/* ---- the lock of a stream, where the program itself takes it ------------------------------------ */

EXPORT void flockfile(FILE *f)
{
	take_stream(f);
}

EXPORT int ftrylockfile(FILE *f)
{
	TRY_LOCK(f, REAL(ftrylockfile)(f));
}

EXPORT void funlockfile(FILE *f)
{
	object_unlock(f, SITE);
	REAL(funlockfile)(f);
}
