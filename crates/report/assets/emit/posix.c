//@ open: ready name
static void do_open(struct task *t, int64_t slot, const char *path, int flags, int mode, int64_t ret)
{
	struct place at;
	int64_t got;

	if (!path)
		return;
	got = ready(path, flags & O_CREAT ? ret == -EEXIST : ret >= 0, &at);
	if (got == 0) {
		got = outcome(openat(at.folder, at.name, flags | O_NOFOLLOW, mode & 0777));
		if (got >= 0) {
			set(slot, (struct handle){ .kind = DESCRIPTOR, .fd = (int)got });
			got = 0;
		}
		leave(&at);
	}
	check(t, "open", got, ret);
}

//@ close: take
static void do_close(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = take(slot);

	if (handle.kind == DESCRIPTOR)
		check(t, "close", outcome(close(handle.fd)), ret);
}

//@ dup: descriptor
static void do_dup(struct task *t, int64_t slot, int64_t copy, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd < 0)
		return;
	fd = dup(fd);
	if (fd >= 0)
		set(copy, (struct handle){ .kind = DESCRIPTOR, .fd = fd });
	check(t, "dup", fd < 0 ? outcome(fd) : 0, ret);
}

//@ read: room descriptor
static void do_read(struct task *t, int64_t slot, int64_t len, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "read", outcome(read(fd, room(t, len), (size_t)len)), ret);
}

//@ write: room descriptor
static void do_write(struct task *t, int64_t slot, int64_t len, int64_t ret)
{
	int fd = descriptor(slot);

	/* A recorded dprintf has its length in what it returned. */
	if (len == 0 && ret > 0)
		len = ret;
	if (fd >= 0)
		check(t, "write", outcome(write(fd, room(t, len), (size_t)len)), ret);
}

//@ pread: room descriptor
static void do_pread(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "pread", outcome(pread(fd, room(t, len), (size_t)len, at)), ret);
}

//@ pwrite: room descriptor
static void do_pwrite(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "pwrite", outcome(pwrite(fd, room(t, len), (size_t)len, at)), ret);
}

//@ vectors: handles room
/* Buffers of one call; all but the last have the same length. */
static int vectors(struct task *t, int64_t len, int64_t count, struct iovec *list)
{
	int64_t total = len < 0 ? 0 : len > 0x7ffff000 ? 0x7ffff000 : len;
	int many = count < 0 ? 0 : count > 1024 ? 1024 : (int)count;
	char *data = room(t, total);

	for (int at = 0; at < many; at++) {
		list[at].iov_base = data + total / many * at;
		list[at].iov_len = (size_t)(at + 1 < many ? total / many : total - total / many * at);
	}
	return many;
}

//@ readv: vectors descriptor
static void do_readv(struct task *t, int64_t slot, int64_t len, int64_t count, int64_t ret)
{
	struct iovec list[1024];
	int fd = descriptor(slot), many = vectors(t, len, count, list);

	if (fd >= 0)
		check(t, "readv", outcome(readv(fd, list, many)), ret);
}

//@ writev: vectors descriptor
static void do_writev(struct task *t, int64_t slot, int64_t len, int64_t count, int64_t ret)
{
	struct iovec list[1024];
	int fd = descriptor(slot), many = vectors(t, len, count, list);

	if (fd >= 0)
		check(t, "writev", outcome(writev(fd, list, many)), ret);
}

//@ preadv: vectors descriptor
static void do_preadv(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t count, int64_t ret)
{
	struct iovec list[1024];
	int fd = descriptor(slot), many = vectors(t, len, count, list);

	if (fd >= 0)
		check(t, "preadv", outcome(preadv(fd, list, many, at)), ret);
}

//@ pwritev: vectors descriptor
static void do_pwritev(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t count, int64_t ret)
{
	struct iovec list[1024];
	int fd = descriptor(slot), many = vectors(t, len, count, list);

	if (fd >= 0)
		check(t, "pwritev", outcome(pwritev(fd, list, many, at)), ret);
}

//@ lseek: descriptor
static void do_lseek(struct task *t, int64_t slot, int64_t by, int64_t from, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "lseek", outcome(lseek(fd, by, (int)from)), ret);
}

//@ ftruncate: descriptor
static void do_ftruncate(struct task *t, int64_t slot, int64_t size, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "ftruncate", outcome(ftruncate(fd, size)), ret);
}

//@ fallocate: descriptor
static void do_fallocate(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t mode, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd < 0)
		return;
	/* posix_fallocate is recorded with mode -1, and returns its error. */
	if (mode == -1)
		check(t, "posix_fallocate", -(int64_t)posix_fallocate(fd, at, len), ret);
	else
		check(t, "fallocate", outcome(fallocate(fd, (int)mode, at, len)), ret);
}

//@ fadvise: descriptor
static void do_fadvise(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t advice, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "posix_fadvise", -(int64_t)posix_fadvise(fd, at, len, (int)advice), ret);
}

//@ readahead: descriptor
static void do_readahead(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "readahead", outcome(readahead(fd, at, (size_t)len)), ret);
}

//@ fsync: descriptor
static void do_fsync(struct task *t, int64_t slot, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "fsync", outcome(fsync(fd)), ret);
}

//@ fdatasync: descriptor
static void do_fdatasync(struct task *t, int64_t slot, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "fdatasync", outcome(fdatasync(fd)), ret);
}

//@ syncfs: descriptor
static void do_syncfs(struct task *t, int64_t slot, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "syncfs", outcome(syncfs(fd)), ret);
}

//@ sync_file_range: descriptor
static void do_sync_file_range(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t flags, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "sync_file_range", outcome(sync_file_range(fd, at, len, (unsigned)flags)), ret);
}

//@ sendfile: descriptor
static void do_sendfile(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t other, int64_t ret)
{
	int from = descriptor(slot), to = descriptor(other);
	off_t place = at;

	if (from >= 0 && to >= 0)
		check(t, "sendfile", outcome(sendfile(to, from, at < 0 ? NULL : &place, (size_t)len)), ret);
}

//@ copy_file_range: descriptor
static void do_copy_file_range(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t other, int64_t there,
	int64_t flags, int64_t ret)
{
	int from = descriptor(slot), to = descriptor(other);
	off_t place = at, target = there;

	if (from >= 0 && to >= 0)
		check(t, "copy_file_range", outcome(copy_file_range(from, at < 0 ? NULL : &place, to,
			there < 0 ? NULL : &target, (size_t)len, (unsigned)flags)), ret);
}

//@ fcntl: descriptor
static void do_fcntl(struct task *t, int64_t slot, int64_t flags, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "fcntl", outcome(fcntl(fd, F_SETFL, (int)flags)), ret);
}

//@ fchdir: descriptor
static void do_fchdir(struct task *t, int64_t slot, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "fchdir", outcome(fchdir(fd)), ret);
}

//@ fchmod: descriptor
static void do_fchmod(struct task *t, int64_t slot, int64_t mode, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "fchmod", outcome(fchmod(fd, mode & 0777)), ret);
}

//@ futimens: descriptor
static void do_futimens(struct task *t, int64_t slot, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "futimens", outcome(futimens(fd, NULL)), ret);
}

//@ fstat: descriptor
static void do_fstat(struct task *t, int64_t slot, int64_t ret)
{
	int fd = descriptor(slot);
	struct stat found;

	if (fd >= 0)
		check(t, "fstat", outcome(fstat(fd, &found)), ret);
}

//@ fstatfs: descriptor
static void do_fstatfs(struct task *t, int64_t slot, int64_t ret)
{
	int fd = descriptor(slot);
	struct statfs found;

	if (fd >= 0)
		check(t, "fstatfs", outcome(fstatfs(fd, &found)), ret);
}

//@ getdents64: room descriptor
static void do_getdents64(struct task *t, int64_t slot, int64_t len, int64_t ret)
{
	int fd = descriptor(slot);

	if (len > 0x7ffff000)
		len = 0x7ffff000;
	if (fd >= 0)
		check(t, "getdents64", outcome(getdents64(fd, room(t, len), (size_t)len)), ret);
}

//@ opendir: ready name
static void do_opendir(struct task *t, int64_t slot, const char *path, int64_t ret)
{
	struct place at;
	int64_t got;

	if (!path)
		return;
	got = ready(path, ret >= 0, &at);
	if (got == 0) {
		DIR *folder = opendir(at.full);

		got = folder ? 0 : outcome(-1);
		if (folder)
			set(slot, (struct handle){ .kind = DIRECTORY, .folder = folder });
		leave(&at);
	}
	check(t, "opendir", got, ret);
}

//@ readdir: handles
static void do_readdir(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = get(slot);

	if (handle.kind == DIRECTORY)
		check(t, "readdir", readdir(handle.folder) != NULL, ret);
}

//@ closedir: take
static void do_closedir(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = take(slot);

	if (handle.kind == DIRECTORY)
		check(t, "closedir", outcome(closedir(handle.folder)), ret);
}

//@ stat: ready name
static void do_stat(struct task *t, const char *path, int64_t ret)
{
	struct place at;
	struct stat found;
	int64_t got;

	if (!path)
		return;
	got = ready(path, ret >= 0, &at);
	if (got == 0) {
		got = outcome(fstatat(at.folder, at.name, &found, 0));
		leave(&at);
	}
	check(t, "stat", got, ret);
}

//@ lstat: ready name
static void do_lstat(struct task *t, const char *path, int64_t ret)
{
	struct place at;
	struct stat found;
	int64_t got;

	if (!path)
		return;
	got = ready(path, ret >= 0, &at);
	if (got == 0) {
		got = outcome(fstatat(at.folder, at.name, &found, AT_SYMLINK_NOFOLLOW));
		leave(&at);
	}
	check(t, "lstat", got, ret);
}

//@ statx: ready name
static void do_statx(struct task *t, const char *path, int64_t mask, int64_t ret)
{
	struct place at;
	struct statx found;
	int64_t got;

	if (!path)
		return;
	got = ready(path, ret >= 0, &at);
	if (got == 0) {
		got = outcome(statx(at.folder, at.name, 0, (unsigned)mask, &found));
		leave(&at);
	}
	check(t, "statx", got, ret);
}

//@ statfs: ready name
static void do_statfs(struct task *t, const char *path, int64_t ret)
{
	struct place at;
	struct statfs found;
	int64_t got;

	if (!path)
		return;
	got = ready(path, ret >= 0, &at);
	if (got == 0) {
		got = outcome(statfs(at.full, &found));
		leave(&at);
	}
	check(t, "statfs", got, ret);
}

//@ named: ready name
/* A call on one name, which `call` makes; `b` is its argument. */
static void named(struct task *t, const char *what, const char *path, int finds, int64_t b, int64_t ret,
	int (*call)(struct place *, int64_t))
{
	struct place at;
	int64_t got;

	if (!path)
		return;
	got = ready(path, finds, &at);
	if (got == 0) {
		got = outcome(call(&at, b));
		leave(&at);
	}
	check(t, what, got, ret);
}

//@ access: named
static int at_access(struct place *at, int64_t b)
{
	return faccessat(at->folder, at->name, (int)b, 0);
}

static void do_access(struct task *t, const char *path, int64_t mode, int64_t ret)
{
	named(t, "access", path, ret >= 0, mode, ret, at_access);
}

//@ unlink: named
static int at_unlink(struct place *at, int64_t b)
{
	/* 1 is remove(), which takes no folder. */
	return b == 1 ? remove(at->full) : unlinkat(at->folder, at->name, 0);
}

static void do_unlink(struct task *t, const char *path, int64_t how, int64_t ret)
{
	named(t, "unlink", path, ret >= 0, how, ret, at_unlink);
}

//@ rmdir: named
static int at_rmdir(struct place *at, int64_t b)
{
	(void)b;
	return unlinkat(at->folder, at->name, AT_REMOVEDIR);
}

static void do_rmdir(struct task *t, const char *path, int64_t ret)
{
	named(t, "rmdir", path, ret >= 0, 0, ret, at_rmdir);
}

//@ mkdir: named
static int at_mkdir(struct place *at, int64_t b)
{
	return mkdirat(at->folder, at->name, b & 0777);
}

static void do_mkdir(struct task *t, const char *path, int64_t mode, int64_t ret)
{
	named(t, "mkdir", path, ret == -EEXIST, mode, ret, at_mkdir);
}

//@ chmod: named
static int at_chmod(struct place *at, int64_t b)
{
	return fchmodat(at->folder, at->name, b & 0777, 0);
}

static void do_chmod(struct task *t, const char *path, int64_t mode, int64_t ret)
{
	named(t, "chmod", path, ret >= 0, mode, ret, at_chmod);
}

//@ utimensat: named
static int at_utimensat(struct place *at, int64_t b)
{
	(void)b;
	return utimensat(at->folder, at->name, NULL, 0);
}

static void do_utimensat(struct task *t, const char *path, int64_t ret)
{
	named(t, "utimensat", path, ret >= 0, 0, ret, at_utimensat);
}

//@ chdir: named
static int at_chdir(struct place *at, int64_t b)
{
	(void)b;
	return chdir(at->full);
}

static void do_chdir(struct task *t, const char *path, int64_t ret)
{
	named(t, "chdir", path, ret >= 0, 0, ret, at_chdir);
}

//@ truncate: named
static int at_truncate(struct place *at, int64_t b)
{
	return truncate(at->full, b);
}

static void do_truncate(struct task *t, const char *path, int64_t size, int64_t ret)
{
	named(t, "truncate", path, ret >= 0, size, ret, at_truncate);
}

//@ pair: ready name
/* A call on two names. */
static void pair(struct task *t, const char *what, const char *path, const char *other, int64_t flags, int64_t ret,
	int (*call)(struct place *, struct place *, int64_t))
{
	struct place from, to;
	int64_t got;

	if (!path || !other)
		return;
	got = ready(path, ret >= 0, &from);
	if (got == 0) {
		got = ready(other, 0, &to);
		if (got == 0) {
			got = outcome(call(&from, &to, flags));
			leave(&to);
		}
		leave(&from);
	}
	check(t, what, got, ret);
}

//@ rename: pair
static int at_rename(struct place *from, struct place *to, int64_t flags)
{
	if (flags == 0)
		return renameat(from->folder, from->name, to->folder, to->name);
	return renameat2(from->folder, from->name, to->folder, to->name, (unsigned)flags);
}

static void do_rename(struct task *t, const char *path, const char *other, int64_t flags, int64_t ret)
{
	pair(t, "rename", path, other, flags, ret, at_rename);
}

//@ link: pair
static int at_link(struct place *from, struct place *to, int64_t flags)
{
	(void)flags;
	return linkat(from->folder, from->name, to->folder, to->name, 0);
}

static void do_link(struct task *t, const char *path, const char *other, int64_t ret)
{
	pair(t, "link", path, other, 0, ret, at_link);
}
