//@ head
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One thread of the program that was recorded. */
struct task {
	int64_t m;               /* its place among those that run the same routine */
	int rank;
	char path[2][4096];      /* names, below the root */
	char *room;              /* what is read into and written from */
	size_t roomy;
	int64_t due, began, took; /* nanoseconds */
	int called;              /* whether it has made a call */
};

static int fast;             /* without pauses */
static int crowd;            /* there are others who may make a file or open a slot */
static int begun;            /* threads that have made a call */
static int *running;         /* processes that have made one, if there are several */
static unsigned long wrong;  /* calls that returned something else */

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Notes that a thread, and with it its process, has made a call. */
static void begins(struct task *t)
{
	if (t->called)
		return;
	t->called = 1;
	if (__atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE) == 0 && running)
		__atomic_fetch_add(running, 1, __ATOMIC_RELEASE);
}

/* Handles that the call under way uses; nobody closes them meanwhile. */
static __thread pthread_rwlock_t *used[2];

static void unused(void)
{
	for (int at = 0; at < 2; at++)
		if (used[at])
			pthread_rwlock_unlock(used[at]);
	used[0] = used[1] = NULL;
}

/* Counts a call that did not return what the trace says; tells the first ten. */
static void check(struct task *t, const char *call, int64_t got, int64_t want)
{
	unused();
	if (!fast) {
		int64_t time = now();

		t->took += time - t->began;
		t->began = time;
	}
	begins(t);
	if (got != want && __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 10)
		fprintf(stderr, "rank %d: %s returned %" PRId64 ", in the trace %" PRId64 "\n", t->rank, call,
			got, want);
}

/* What a call returned, or minus its error. */
__attribute__((unused))
static int64_t outcome(int64_t got)
{
	return got < 0 ? -(int64_t)errno : got;
}

//@ think
/* A pause between calls. Lateness is never added up: a call that began late does not move those after it. */
static void think(struct task *t, int64_t pause)
{
	struct timespec until;

	if (fast)
		return;
	t->due += t->took + pause;
	t->took = 0;
	until.tv_sec = t->due / 1000000000;
	until.tv_nsec = t->due % 1000000000;
	if (t->due - now() > 1000)
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
	t->began = now();
}

//@ met
/* All have met: whoever waited goes on from here. */
static void met(struct task *t)
{
	t->due = t->began = now();
	t->took = 0;
}

//@ room
/* Memory that is large in addresses and small in truth: 4 MiB, mapped as often as a call is long. */
static void *room(struct task *t, int64_t len)
{
	const size_t piece = 4 << 20, most = 0x7ffff000;
	size_t size = len < 1 ? 1 : (uint64_t)len > most ? most : (size_t)len;
	int fd, good;
	char *start;

	size = (size + piece - 1) / piece * piece;
	if (size <= t->roomy)
		return t->room;
	fd = memfd_create("room", MFD_CLOEXEC);
	start = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	good = fd >= 0 && start != MAP_FAILED && ftruncate(fd, piece) == 0;
	for (size_t at = 0; good && at < size; at += piece)
		good = mmap(start + at, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
	if (!good) {
		fprintf(stderr, "no memory for a call of %" PRId64 " bytes\n", len);
		_exit(1);
	}
	close(fd);
	/* What was there before stays: requests may be under way in it. */
	t->room = start;
	t->roomy = size;
	return start;
}

//@ series
/* A folded sequence: a run of equal steps, or a loop over the `len` nodes that follow. Where a number differs from
   member to member, `by` and `times` say how much. */
struct node {
	int64_t value, by, count, times;
	int32_t len;
};

struct series {
	const struct node *node;
	int32_t nodes, at, depth;
	int64_t m, value, step, symbol, left;
	int second;
	struct { int32_t body, end; int64_t turns; } loop[DEEPEST];
};

/* The next step; 0 after the last. */
static int64_t step_of(struct series *s)
{
	while (s->left == 0) {
		while (s->depth > 0 && s->at >= s->loop[s->depth - 1].end) {
			if (s->loop[s->depth - 1].turns-- > 0)
				s->at = s->loop[s->depth - 1].body;
			else
				s->depth--;
		}
		if (s->at >= s->nodes)
			return 0;
		const struct node *n = &s->node[s->at++];
		int64_t count = n->count + n->times * s->m;
		if (n->len == 0) {
			s->symbol = (int64_t)((uint64_t)n->value + (uint64_t)n->by * (uint64_t)s->m);
			s->left = count > 0 ? count : 0;
		} else if (count < 1) {
			s->at += n->len;
		} else {
			s->loop[s->depth].body = s->at;
			s->loop[s->depth].end = s->at + n->len;
			s->loop[s->depth++].turns = count - 1;
		}
	}
	s->left--;
	return s->symbol;
}

/* The next value. */
static int64_t next(struct series *s)
{
	int64_t value = s->value, step = step_of(s);

	if (s->second) {
		s->value = (int64_t)((uint64_t)value + (uint64_t)s->step);
		s->step = (int64_t)((uint64_t)s->step + (uint64_t)step);
	} else {
		s->value = (int64_t)((uint64_t)value + (uint64_t)step);
	}
	return value;
}

//@ name
/* Puts a name together; nothing if no file can have it. */
__attribute__((format(printf, 3, 4)))
static const char *name(struct task *t, int which, const char *format, ...)
{
	va_list numbers;
	int len;

	va_start(numbers, format);
	len = vsnprintf(t->path[which], sizeof(t->path[which]), format, numbers);
	va_end(numbers);
	return len < 0 || len > 3072 ? NULL : t->path[which];
}

//@ number
/* Numbers in names are never negative. */
static long long number(int64_t value)
{
	return value < 0 ? 0 : value;
}
