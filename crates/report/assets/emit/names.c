//@ open: opening name
static void do_open(struct task *t, int64_t slot, const char *path, int flags, int mode, int64_t ret)
{
	struct place at;
	int64_t got;

	if (!path)
		return;
	got = ready(path, flags & O_CREAT ? ret == -EEXIST : ret >= 0, &at);
	if (got == 0) {
		if (!spared(&at, NULL, opening(flags), ret, &got)) {
			got = outcome(openat(at.folder, at.name, flags | O_NOFOLLOW, mode & 0777));
			if (got >= 0) {
				set(slot, (struct handle){ .kind = DESCRIPTOR, .fd = (int)got });
				got = 0;
			}
		}
		leave(&at);
	}
	check(t, "open", got, ret);
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

//@ named: spared name
/* A call on one name, which `call` makes; `b` is its argument, and `how` what it does to its name. */
static void named(struct task *t, const char *what, const char *path, int how, int64_t b, int64_t ret,
	int (*call)(struct place *, int64_t))
{
	struct place at;
	int64_t got;

	if (!path)
		return;
	got = ready(path, how & MAKES ? ret == -EEXIST : ret >= 0, &at);
	if (got == 0) {
		if (!spared(&at, NULL, how, ret, &got))
			got = outcome(call(&at, b));
		leave(&at);
	}
	check(t, what, got, ret);
}

//@ stat: named
static int at_stat(struct place *at, int64_t b)
{
	struct stat found;

	(void)b;
	return fstatat(at->folder, at->name, &found, 0);
}

static void do_stat(struct task *t, const char *path, int64_t ret)
{
	named(t, "stat", path, 0, 0, ret, at_stat);
}

//@ lstat: named
static int at_lstat(struct place *at, int64_t b)
{
	struct stat found;

	(void)b;
	return fstatat(at->folder, at->name, &found, AT_SYMLINK_NOFOLLOW);
}

static void do_lstat(struct task *t, const char *path, int64_t ret)
{
	named(t, "lstat", path, 0, 0, ret, at_lstat);
}

//@ statx: named
static int at_statx(struct place *at, int64_t b)
{
	struct statx found;

	return statx(at->folder, at->name, 0, (unsigned)b, &found);
}

static void do_statx(struct task *t, const char *path, int64_t mask, int64_t ret)
{
	named(t, "statx", path, 0, mask, ret, at_statx);
}

//@ statfs: named
static int at_statfs(struct place *at, int64_t b)
{
	struct statfs found;

	(void)b;
	return statfs(at->full, &found);
}

static void do_statfs(struct task *t, const char *path, int64_t ret)
{
	named(t, "statfs", path, 0, 0, ret, at_statfs);
}

//@ access: named
static int at_access(struct place *at, int64_t b)
{
	return faccessat(at->folder, at->name, (int)b, 0);
}

static void do_access(struct task *t, const char *path, int64_t mode, int64_t ret)
{
	named(t, "access", path, 0, mode, ret, at_access);
}

//@ unlink: named
static int at_unlink(struct place *at, int64_t b)
{
	/* 1 is remove(), which takes no folder. */
	return b == 1 ? remove(at->full) : unlinkat(at->folder, at->name, 0);
}

static void do_unlink(struct task *t, const char *path, int64_t how, int64_t ret)
{
	named(t, "unlink", path, how == 1 ? CHANGES : CHANGES | UNLINKS, how, ret, at_unlink);
}

//@ rmdir: named
static int at_rmdir(struct place *at, int64_t b)
{
	(void)b;
	return unlinkat(at->folder, at->name, AT_REMOVEDIR);
}

static void do_rmdir(struct task *t, const char *path, int64_t ret)
{
	named(t, "rmdir", path, CHANGES, 0, ret, at_rmdir);
}

//@ mkdir: named
static int at_mkdir(struct place *at, int64_t b)
{
	return mkdirat(at->folder, at->name, b & 0777);
}

static void do_mkdir(struct task *t, const char *path, int64_t mode, int64_t ret)
{
	named(t, "mkdir", path, CHANGES | MAKES | EXCLUSIVELY, mode, ret, at_mkdir);
}

//@ chmod: named
static int at_chmod(struct place *at, int64_t b)
{
	return fchmodat(at->folder, at->name, b & 0777, AT_SYMLINK_NOFOLLOW);
}

static void do_chmod(struct task *t, const char *path, int64_t mode, int64_t ret)
{
	named(t, "chmod", path, CHANGES, mode, ret, at_chmod);
}

//@ utimensat: named
static int at_utimensat(struct place *at, int64_t b)
{
	(void)b;
	return utimensat(at->folder, at->name, NULL, AT_SYMLINK_NOFOLLOW);
}

static void do_utimensat(struct task *t, const char *path, int64_t ret)
{
	named(t, "utimensat", path, CHANGES, 0, ret, at_utimensat);
}

//@ chdir: named
static int at_chdir(struct place *at, int64_t b)
{
	(void)b;
	return chdir(at->full);
}

static void do_chdir(struct task *t, const char *path, int64_t ret)
{
	named(t, "chdir", path, 0, 0, ret, at_chdir);
}

//@ truncate: named
static int at_truncate(struct place *at, int64_t b)
{
	return truncate(at->full, b);
}

static void do_truncate(struct task *t, const char *path, int64_t size, int64_t ret)
{
	named(t, "truncate", path, CHANGES, size, ret, at_truncate);
}

//@ pair: spared name
/* A call on two names, which changes them. */
static void pair(struct task *t, const char *what, const char *path, const char *other, int how, int64_t flags,
	int64_t ret, int (*call)(struct place *, struct place *, int64_t))
{
	struct place from, to;
	int64_t got;

	if (!path || !other)
		return;
	got = ready(path, ret >= 0, &from);
	if (got == 0) {
		got = ready(other, 0, &to);
		if (got == 0) {
			if (!spared(&from, &to, how | CHANGES, ret, &got))
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
	pair(t, "rename", path, other, flags == RENAME_NOREPLACE ? EXCLUSIVELY : 0, flags, ret, at_rename);
}

//@ link: pair
static int at_link(struct place *from, struct place *to, int64_t flags)
{
	(void)flags;
	return linkat(from->folder, from->name, to->folder, to->name, 0);
}

static void do_link(struct task *t, const char *path, const char *other, int64_t ret)
{
	pair(t, "link", path, other, EXCLUSIVELY, 0, ret, at_link);
}
