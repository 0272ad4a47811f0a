/*
 * filesystem: calls that wait for a device, and transfer no data of the caller.
 *
 * A file system with a journal makes a thread wait also when names and sizes of files
 * change.  sqlite3, inserting rows one by one, spends as much time in unlink as in
 * fdatasync (0.33 of 0.74 s).  Before these calls were wrapped, the impact of code that
 * takes 95 % of its time was predicted as 0.36 (0.19 to 0.54).
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include "wrap.h"

/* ---- writing back ------------------------------------------------------------------------ */

EXPORT int fsync(int fd)
{
	WAIT_OUTSIDE(REAL(fsync)(fd));
}

EXPORT int fdatasync(int fd)
{
	WAIT_OUTSIDE(REAL(fdatasync)(fd));
}

EXPORT int sync_file_range(int fd, off64_t at, off64_t n, unsigned flags)
{
	WAIT_OUTSIDE(REAL(sync_file_range)(fd, at, n, flags));
}

EXPORT int syncfs(int fd)
{
	WAIT_OUTSIDE(REAL(syncfs)(fd));
}

EXPORT int msync(void *at, size_t n, int flags)
{
	WAIT_OUTSIDE(REAL(msync)(at, n, flags));
}

EXPORT void sync(void)
{
	struct wait w;

	wait_begin(&w, CLASS_IO, SITE, true, WAIT_UNKNOWN);
	REAL(sync)();
	wait_outside(&w);
}

/* ---- names ------------------------------------------------------------------------------- */

EXPORT int unlink(const char *path)
{
	WAIT_OUTSIDE(REAL(unlink)(path));
}

EXPORT int unlinkat(int dir, const char *path, int flags)
{
	WAIT_OUTSIDE(REAL(unlinkat)(dir, path, flags));
}

EXPORT int remove(const char *path)
{
	WAIT_OUTSIDE(REAL(remove)(path));
}

EXPORT int rename(const char *from, const char *to)
{
	WAIT_OUTSIDE(REAL(rename)(from, to));
}

EXPORT int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	WAIT_OUTSIDE(REAL(renameat)(from_dir, from, to_dir, to));
}

EXPORT int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	WAIT_OUTSIDE(REAL(renameat2)(from_dir, from, to_dir, to, flags));
}

EXPORT int link(const char *from, const char *to)
{
	WAIT_OUTSIDE(REAL(link)(from, to));
}

EXPORT int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	WAIT_OUTSIDE(REAL(linkat)(from_dir, from, to_dir, to, flags));
}

EXPORT int symlink(const char *text, const char *path)
{
	WAIT_OUTSIDE(REAL(symlink)(text, path));
}

EXPORT int symlinkat(const char *text, int dir, const char *path)
{
	WAIT_OUTSIDE(REAL(symlinkat)(text, dir, path));
}

EXPORT int mkdir(const char *path, mode_t mode)
{
	WAIT_OUTSIDE(REAL(mkdir)(path, mode));
}

EXPORT int mkdirat(int dir, const char *path, mode_t mode)
{
	WAIT_OUTSIDE(REAL(mkdirat)(dir, path, mode));
}

EXPORT int rmdir(const char *path)
{
	WAIT_OUTSIDE(REAL(rmdir)(path));
}

/* ---- sizes ------------------------------------------------------------------------------- */

EXPORT int truncate(const char *path, off_t n)
{
	WAIT_OUTSIDE(REAL(truncate)(path, n));
}

EXPORT int truncate64(const char *path, off64_t n)
{
	WAIT_OUTSIDE(REAL(truncate64)(path, n));
}

EXPORT int ftruncate(int fd, off_t n)
{
	WAIT_OUTSIDE(REAL(ftruncate)(fd, n));
}

EXPORT int ftruncate64(int fd, off64_t n)
{
	WAIT_OUTSIDE(REAL(ftruncate64)(fd, n));
}

EXPORT int fallocate(int fd, int mode, off_t at, off_t n)
{
	WAIT_OUTSIDE(REAL(fallocate)(fd, mode, at, n));
}

EXPORT int fallocate64(int fd, int mode, off64_t at, off64_t n)
{
	WAIT_OUTSIDE(REAL(fallocate64)(fd, mode, at, n));
}

EXPORT int posix_fallocate(int fd, off_t at, off_t n)
{
	WAIT_OUTSIDE(REAL(posix_fallocate)(fd, at, n));
}

EXPORT int posix_fallocate64(int fd, off64_t at, off64_t n)
{
	WAIT_OUTSIDE(REAL(posix_fallocate64)(fd, at, n));
}
