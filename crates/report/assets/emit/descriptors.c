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
	unused();
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

	if (from < 0 || to < 0)
		unused();
	else
		check(t, "sendfile", outcome(sendfile(to, from, at < 0 ? NULL : &place, (size_t)len)), ret);
}

//@ copy_file_range: descriptor
static void do_copy_file_range(struct task *t, int64_t slot, int64_t at, int64_t len, int64_t other, int64_t there,
	int64_t flags, int64_t ret)
{
	int from = descriptor(slot), to = descriptor(other);
	off_t place = at, target = there;

	if (from < 0 || to < 0)
		unused();
	else
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

//@ changing: place descriptor
/* Whether a call that changes an open file must not be made: it failed in the trace, or it is about the root. */
static int is_spared(int fd, int64_t ret)
{
	struct stat own, top;

	return ret < 0 || direct(SYS_fstat, fd, (long)&own, 0, 0) < 0 || direct(SYS_fstat, root_fd, (long)&top, 0, 0) < 0
		|| (own.st_dev == top.st_dev && own.st_ino == top.st_ino);
}

//@ fchmod: changing
static void do_fchmod(struct task *t, int64_t slot, int64_t mode, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "fchmod", is_spared(fd, ret) ? ret : outcome(fchmod(fd, mode & 0777)), ret);
}

//@ futimens: changing
static void do_futimens(struct task *t, int64_t slot, int64_t ret)
{
	int fd = descriptor(slot);

	if (fd >= 0)
		check(t, "futimens", is_spared(fd, ret) ? ret : outcome(futimens(fd, NULL)), ret);
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

//@ readdir: get
static void do_readdir(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = get(slot, DIRECTORY);

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
