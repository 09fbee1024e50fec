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
	int folder;
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

	if (fd != -ENOSYS)
		return fd;
	snprintf(steps, sizeof(steps), "%s", path);
	fd = direct(SYS_openat, root_fd, (long)".", FOLDER, 0);
	for (part = strtok_r(steps, "/", &more); part && fd >= 0; part = strtok_r(NULL, "/", &more)) {
		long inner = direct(SYS_openat, fd, (long)part, FOLDER, 0);

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
enum { NONE, DESCRIPTOR, BELOW, STREAM, DIRECTORY, OTHER };

struct handle {
	int64_t slot;
	int kind, fd;
	FILE *stream;
	DIR *folder;
	void *other;
	struct handle *next;
};

static struct handle *handles[1024];
static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;
static int in_vain; /* how often somebody waited for nothing */

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

//@ get: handles
/* What a slot is. If another thread may still open it, waits a while. */
static struct handle get(int64_t slot)
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

//@ take: get
static struct handle take(int64_t slot)
{
	struct handle handle = get(slot), **at;

	pthread_mutex_lock(&handles_lock);
	at = seat(slot);
	if (*at) {
		struct handle *old = *at;

		*at = old->next;
		free(old);
	}
	pthread_mutex_unlock(&handles_lock);
	return handle;
}

//@ descriptor: get
static int descriptor(int64_t slot)
{
	struct handle handle = get(slot);

	return handle.kind == DESCRIPTOR || handle.kind == BELOW ? handle.fd : -1;
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
