//@ direct
/* System calls of our own, which are none of the trace: a recorder follows those that go through the C library.
   Returns what the kernel returns: minus the error if it fails. */
static long direct(long number, long a, long b, long c, long d)
{
#ifdef __x86_64__
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = 0;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret)
		: "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
	return ret;
#else
	long ret = syscall(number, a, b, c, d, 0);

	return ret < 0 ? -errno : ret;
#endif
}

//@ place: direct
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* A name in a folder that is open: what a path is once it is known to lie below the root. */
struct place {
	int folder, missing; /* the error, if its folder is missing */
	const char *name;
	char full[8192];
};

static char root[PATH_MAX];
static int root_fd = -1;

enum { FOLDER = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Opens a folder below the root without following a link. */
static long folder_at(const char *path)
{
	struct { uint64_t flags, mode, resolve; } how = { FOLDER, 0, 0x08 | 0x04 | 0x02 };
	long fd = direct(SYS_openat2, root_fd, (long)(*path ? path : "."), (long)&how, sizeof(how));
	char steps[4096], *part, *more;

	/* A link as the last folder is told like a file: steps know them apart. */
	if (fd != -ENOSYS && fd != -ENOTDIR)
		return fd;
	snprintf(steps, sizeof(steps), "%s", path);
	fd = direct(SYS_openat, root_fd, (long)".", FOLDER, 0);
	for (part = strtok_r(steps, "/", &more); part && fd >= 0; part = strtok_r(NULL, "/", &more)) {
		long inner = direct(SYS_openat, fd, (long)part, FOLDER, 0);
		struct stat stat;

		if (inner < 0 && direct(SYS_newfstatat, fd, (long)part, (long)&stat, AT_SYMLINK_NOFOLLOW) == 0
			&& S_ISLNK(stat.st_mode))
			inner = -ELOOP;
		direct(SYS_close, fd, 0, 0, 0);
		fd = inner;
	}
	return fd;
}

/* Where a path of plain names lies; minus the error if its folder is missing or behind a link. */
static int place(const char *path, struct place *to)
{
	char folder[4096];
	const char *last = strrchr(path, '/');
	size_t len = last ? (size_t)(last - path) : 0;
	long fd;

	if (len >= sizeof(folder) || strlen(path) >= sizeof(folder))
		return -ENAMETOOLONG;
	memcpy(folder, path, len);
	folder[len] = 0;
	fd = folder_at(folder);
	snprintf(to->full, sizeof(to->full), *path ? "%s/%s" : "%s%s", root, path);
	to->folder = fd < 0 ? -1 : (int)fd;
	to->missing = fd == -ENOENT || fd == -ENOTDIR ? (int)fd : 0;
	to->name = last ? last + 1 : *path ? path : ".";
	return fd < 0 ? (int)fd : 0;
}

static void leave(struct place *at)
{
	if (at->folder >= 0)
		direct(SYS_close, at->folder, 0, 0, 0);
}

/* What stands there: 0 nothing, 1 a file, 2 a folder, -1 a link, a pipe, a device. */
static int kind(struct place *at)
{
	struct stat stat;

	if (direct(SYS_newfstatat, at->folder, (long)at->name, (long)&stat, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return S_ISREG(stat.st_mode) ? 1 : S_ISDIR(stat.st_mode) ? 2 : -1;
}

//@ stage: place
/* What the trace makes or changes must not be there; what it finds is made first. */
enum { IS_FOLDER = 1, BEFORE = 2, CHANGED = 4 };
enum { LOOK, MAKE, CLEAN };

/* Makes a folder, or a file of a size with a hole. */
static long made(struct place *at, int is, int64_t size)
{
	long fd, ret;

	if (is & IS_FOLDER)
		return direct(SYS_mkdirat, at->folder, (long)at->name, 0777, 0);
	fd = direct(SYS_openat, at->folder, (long)at->name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return fd;
	ret = size > 0 ? direct(SYS_ftruncate, fd, size, 0, 0) : 0;
	direct(SYS_close, fd, 0, 0, 0);
	return ret;
}

__attribute__((format(printf, 4, 5)))
static int staged(int what, int is, int64_t size, const char *format, ...)
{
	char path[4096];
	struct place at;
	va_list numbers;
	int found, stands;
	long ret = 0;

	va_start(numbers, format);
	vsnprintf(path, sizeof(path), format, numbers);
	va_end(numbers);
	found = place(path, &at);
	stands = found == 0 ? kind(&at) : 0;
	if (stands < 0 || (found < 0 && found != -ENOENT)) {
		fprintf(stderr, "the path to %s passes through a link or something else that is not a folder\n", at.full);
		ret = -1;
	} else if (what == LOOK && stands > 0 && (is & CHANGED || !(is & BEFORE))) {
		fprintf(stderr, "%s exists, and this program would change it\n", at.full);
		ret = -1;
	} else if (what == MAKE && is & BEFORE && stands == 0) {
		ret = made(&at, is, size);
		if (ret < 0)
			fprintf(stderr, "cannot prepare %s: %s\n", at.full, strerror((int)-ret));
	} else if (what == CLEAN && stands > 0) {
		direct(SYS_unlinkat, at.folder, (long)at.name, stands == 2 ? AT_REMOVEDIR : 0, 0);
	}
	leave(&at);
	return ret < 0 ? -1 : 0;
}

//@ handles
/* Open files, by the numbers the trace gives them. */
enum { NONE = 0, DESCRIPTOR = 1, BELOW = 2, STREAM = 4, DIRECTORY = 8, OTHER = 16 };

struct handle {
	int64_t slot;
	int kind, fd;
	FILE *stream;
	DIR *folder;
	void *other;
	struct handle *next;
};

static struct handle *handles[1024];
/* Held by whoever uses a handle with this remainder, and alone by whoever closes one. */
static pthread_rwlock_t uses[1024];
static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;
static int in_vain; /* how often somebody waited for nothing */

__attribute__((constructor))
static void handles_begin(void)
{
	for (int at = 0; at < 1024; at++)
		pthread_rwlock_init(&uses[at], NULL);
}

static void nap(void)
{
	struct timespec time = { 0, 200000 };

	nanosleep(&time, NULL);
}

static struct handle **seat(int64_t slot)
{
	struct handle **at = &handles[(uint64_t)slot % 1024];

	while (*at && (*at)->slot != slot)
		at = &(*at)->next;
	return at;
}

static void set(int64_t slot, struct handle handle)
{
	struct handle **at;

	if (slot == 0)
		return;
	pthread_mutex_lock(&handles_lock);
	at = seat(slot);
	if (!*at)
		*at = calloc(1, sizeof(handle));
	if (*at) {
		handle.slot = slot;
		handle.next = (*at)->next;
		**at = handle;
	}
	pthread_mutex_unlock(&handles_lock);
}

//@ seated: handles
/* What a slot is. If another thread may still open it, waits a while. */
static struct handle seated(int64_t slot)
{
	struct handle none = { 0 }, *at;
	int64_t since = now();
	int known;

	for (;;) {
		pthread_mutex_lock(&handles_lock);
		at = *seat(slot);
		known = at != NULL;
		if (at)
			none = *at;
		pthread_mutex_unlock(&handles_lock);
		if (known || THREADS < 2 || slot == 0 || in_vain > 1)
			return none;
		if (now() - since > INT64_C(5000000000)) {
			in_vain++;
			set(slot, none);
		}
		nap();
	}
}

//@ get: seated
/* A slot of one of these kinds, which stays open until the call under way is checked. A second one is only tried for:
   two threads could otherwise wait for each other. */
static struct handle get(int64_t slot, int kinds)
{
	pthread_rwlock_t *lock = &uses[(uint64_t)slot % 1024];
	struct handle none = { 0 }, handle = seated(slot);
	int second = used[0] != NULL;

	if (!(handle.kind & kinds))
		return none;
	if (second ? pthread_rwlock_tryrdlock(lock) : pthread_rwlock_rdlock(lock))
		return none;
	used[second] = lock;
	handle = seated(slot);
	if (handle.kind & kinds)
		return handle;
	pthread_rwlock_unlock(lock);
	used[second] = NULL;
	return none;
}

//@ take: seated
static int closed; /* seats kept for closed slots: nobody opens these again */

static struct handle take(int64_t slot)
{
	pthread_rwlock_t *lock = &uses[(uint64_t)slot % 1024];
	struct handle handle = { 0 }, **at;

	seated(slot);
	pthread_rwlock_wrlock(lock);
	pthread_mutex_lock(&handles_lock);
	at = seat(slot);
	if (*at) {
		struct handle *old = *at;

		handle = *old;
		if (THREADS > 1 && closed < 1 << 20) {
			closed += old->kind != NONE;
			old->kind = NONE;
		} else {
			*at = old->next;
			free(old);
		}
	}
	pthread_mutex_unlock(&handles_lock);
	pthread_rwlock_unlock(lock);
	return handle;
}

//@ descriptor: get
static int descriptor(int64_t slot)
{
	struct handle handle = get(slot, DESCRIPTOR | BELOW);

	return handle.kind ? handle.fd : -1;
}

//@ ready: place handles
/* The place of a path, when what must be there is there or patience has ended. */
static int ready(const char *path, int must_be_there, struct place *at)
{
	int64_t since = now();

	for (;;) {
		int patient = crowd && in_vain < 2 && now() - since < INT64_C(5000000000);
		int found = place(path, at);
		int stands = found == 0 ? kind(at) : 0;

		if (stands < 0 || (found < 0 && found != -ENOENT && found != -ENOTDIR)) {
			leave(at);
			return found < 0 ? found : -ELOOP;
		}
		if (stands > 0 || !must_be_there || !patient) {
			if (must_be_there && crowd && stands == 0)
				in_vain++;
			if (found < 0) /* the call itself shall say that the folder is missing */
				at->name = at->full;
			return 0;
		}
		leave(at);
		nap();
	}
}

//@ spared: ready
/* What a call does to its names. */
enum { CHANGES = 1, MAKES = 2, EXCLUSIVELY = 4, OPENS = 8, UNLINKS = 16 };

/* Whether a call must not be made, and what it returns then: it failed in the trace and might work here, or it is about
   the root itself. What failed is tried only where it must fail again. */
static int spared(struct place *at, struct place *to, int how, int64_t ret, int64_t *got)
{
	int missing = at->missing ? at->missing : to ? to->missing : 0;
	struct place *new = to ? to : at;
	int stands = at->missing ? 0 : kind(at);

	if (!(how & CHANGES))
		return 0;
	*got = ret;
	if (ret >= 0) {
		if (!(how & OPENS) && (strcmp(at->name, ".") == 0 || strcmp(new->name, ".") == 0))
			return 1;
		if (missing)
			*got = missing;
		return missing != 0;
	}
	if (ret == -ENOENT || ret == -ENOTDIR)
		return !missing && (how & MAKES || stands != 0);
	if (ret == -EEXIST)
		return !(how & EXCLUSIVELY) || missing || kind(new) == 0;
	if (ret == -EISDIR)
		return stands != 2 || !(how & (OPENS | UNLINKS));
	return 1;
}

//@ opening: spared
/* What an open with these flags does to its name. */
static int opening(int flags)
{
	int how = flags & (O_ACCMODE | O_CREAT | O_TRUNC) ? CHANGES | OPENS : OPENS;

	if (flags & O_CREAT)
		how |= flags & O_EXCL ? MAKES | EXCLUSIVELY : MAKES;
	return how;
}
