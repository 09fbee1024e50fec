//@ mpi
#include <mpi.h>

/* A file of MPI-IO, and how its split collective ends. */
struct shared {
	MPI_File file;
	int (*end)(MPI_File, void *, MPI_Status *);
};

/* 0, or minus the class of an error. */
static int64_t said(int code)
{
	int class = code;

	if (code == MPI_SUCCESS)
		return 0;
	MPI_Error_class(code, &class);
	return -(int64_t)(class > 0 ? class : 1);
}

//@ moved: mpi
/* Bytes that a call moved. */
static int64_t moved(int code, MPI_Status *status)
{
	MPI_Count count = 0;

	if (code != MPI_SUCCESS)
		return said(code);
	MPI_Get_elements_x(status, MPI_BYTE, &count);
	return count;
}

//@ shared: mpi seated
static struct shared *shared(int64_t slot)
{
	struct handle handle = seated(slot);

	return handle.kind == OTHER ? handle.other : NULL;
}

//@ numbered: mpi
/* Communicators, types and requests by the numbers the trace gives them. */
enum { COMMS, TYPES, REQUESTS };

static void *numbered(int kind, int64_t number, size_t size)
{
	static char *list[3];
	static int64_t many[3];

	if (number < 0 || number > 1 << 24) {
		fprintf(stderr, "invalid number of an MPI handle: %" PRId64 "\n", number);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (number >= many[kind]) {
		int64_t more = number * 2 + 64;

		list[kind] = realloc(list[kind], (size_t)more * size);
		if (!list[kind])
			MPI_Abort(MPI_COMM_WORLD, 1);
		memset(list[kind] + (size_t)many[kind] * size, 0, (size_t)(more - many[kind]) * size);
		many[kind] = more;
	}
	return list[kind] + (size_t)number * size;
}

//@ comm: numbered
struct comm { int known; MPI_Comm handle; };

static MPI_Comm comm(int64_t number)
{
	struct comm *at = numbered(COMMS, number, sizeof(*at));

	return number == 2 ? MPI_COMM_SELF : at->known ? at->handle : MPI_COMM_WORLD;
}

//@ types: numbered
struct type { int known; MPI_Datatype handle; };

static MPI_Datatype type(int64_t number)
{
	struct type *at = numbered(TYPES, number, sizeof(*at));

	return at->known ? at->handle : MPI_BYTE;
}

//@ hints: mpi
/* As many hints as there were; what they said is not known. */
static MPI_Info hints(int64_t many)
{
	MPI_Info info;
	char key[32];

	if (many < 0)
		return MPI_INFO_NULL;
	MPI_Info_create(&info);
	for (int64_t at = 0; at < many && at < 1000; at++) {
		snprintf(key, sizeof(key), "marigraph_%d", (int)at);
		MPI_Info_set(info, key, "1");
	}
	return info;
}

static void forget(MPI_Info *info)
{
	if (*info != MPI_INFO_NULL)
		MPI_Info_free(info);
}

//@ MPI_Finalize: mpi
static void do_MPI_Finalize(struct task *t, int64_t ret)
{
	check(t, "MPI_Finalize", said(MPI_Finalize()), ret);
}

//@ MPI_Barrier: comm met mpi
static void do_MPI_Barrier(struct task *t, int64_t of, int64_t ret)
{
	check(t, "MPI_Barrier", said(MPI_Barrier(comm(of))), ret);
	met(t);
}

//@ MPI_Comm: comm met numbered mpi
/* However it was made: who has the same first member comes together, in the order of ranks. */
static void do_MPI_Comm(struct task *t, int64_t number, int64_t rank, int64_t first, int64_t parent, int64_t ret)
{
	MPI_Comm made = MPI_COMM_NULL;
	int color = number > 0 && first >= 0 ? (int)first : MPI_UNDEFINED;
	int code = MPI_Comm_split(comm(parent), color, (int)rank, &made);

	if (number > 2 && made != MPI_COMM_NULL) {
		struct comm *at = numbered(COMMS, number, sizeof(*at));

		at->known = 1;
		at->handle = made;
	}
	check(t, "MPI_Comm_split", said(code), ret);
	met(t);
}

//@ spared_by_mpi: spared
/* The same for a call of MPI, whose error classes differ between libraries: it must fail where nothing is. */
__attribute__((unused))
static int spared_by_mpi(struct place *at, int how, int64_t ret, int64_t *got)
{
	return spared(at, NULL, how | OPENS, ret < 0 ? -ENOENT : ret, got) ? (*got = ret < 0 ? ret : *got, 1) : 0;
}

//@ MPI_File_open: comm hints spared_by_mpi name met mpi
static void do_MPI_File_open(struct task *t, int64_t slot, const char *path, int64_t mode, int64_t of, int64_t many,
	int64_t ret)
{
	struct shared *made = calloc(1, sizeof(*made));
	MPI_Info info = hints(many);
	struct place at;
	int64_t got;

	if (!path || !made)
		return;
	/* Whether it must be there is for MPI to say: all members of the communicator come here. */
	got = ready(path, 0, &at);
	if (got == 0) {
		int how = mode & MPI_MODE_RDONLY ? 0 : mode & MPI_MODE_CREATE ? CHANGES | MAKES : CHANGES;

		/* Of an open that failed the communicator is not known; alone it fails as well, and nobody is waited for. */
		if (!spared_by_mpi(&at, how, ret, &got)) {
			got = said(MPI_File_open(of == 0 ? MPI_COMM_SELF : comm(of), at.full, (int)mode, info, &made->file));
			if (got == 0)
				set(slot, (struct handle){ .kind = OTHER, .other = made });
		}
		leave(&at);
	}
	forget(&info);
	check(t, "MPI_File_open", got, ret);
	met(t);
}

//@ MPI_File_close: mpi take met
static void do_MPI_File_close(struct task *t, int64_t slot, int64_t ret)
{
	struct handle handle = take(slot);
	struct shared *file = handle.other;

	if (handle.kind != OTHER)
		return;
	check(t, "MPI_File_close", said(MPI_File_close(&file->file)), ret);
	free(file);
	met(t);
}

//@ MPI_File_delete: spared_by_mpi name mpi
static void do_MPI_File_delete(struct task *t, const char *path, int64_t ret)
{
	struct place at;
	int64_t got;

	if (!path)
		return;
	got = ready(path, ret >= 0, &at);
	if (got == 0) {
		if (!spared_by_mpi(&at, CHANGES, ret, &got))
			got = said(MPI_File_delete(at.full, MPI_INFO_NULL));
		leave(&at);
	}
	check(t, "MPI_File_delete", got, ret);
}

//@ MPI_File_set_size: mpi shared met
static void do_MPI_File_set_size(struct task *t, int64_t slot, int64_t size, int64_t ret)
{
	struct shared *file = shared(slot);

	if (file)
		check(t, "MPI_File_set_size", said(MPI_File_set_size(file->file, size)), ret);
	met(t);
}

//@ MPI_File_preallocate: mpi shared met
static void do_MPI_File_preallocate(struct task *t, int64_t slot, int64_t size, int64_t ret)
{
	struct shared *file = shared(slot);

	if (file)
		check(t, "MPI_File_preallocate", said(MPI_File_preallocate(file->file, size)), ret);
	met(t);
}

//@ MPI_File_get_size: mpi shared
static void do_MPI_File_get_size(struct task *t, int64_t slot, int64_t ret)
{
	struct shared *file = shared(slot);
	MPI_Offset size = 0;
	int64_t got = file ? said(MPI_File_get_size(file->file, &size)) : 0;

	if (file)
		check(t, "MPI_File_get_size", got < 0 ? got : size, ret);
}

//@ MPI_File_sync: mpi shared met
static void do_MPI_File_sync(struct task *t, int64_t slot, int64_t ret)
{
	struct shared *file = shared(slot);

	if (file)
		check(t, "MPI_File_sync", said(MPI_File_sync(file->file)), ret);
	met(t);
}

//@ MPI_File_set_atomicity: mpi shared met
static void do_MPI_File_set_atomicity(struct task *t, int64_t slot, int64_t on, int64_t ret)
{
	struct shared *file = shared(slot);

	if (file)
		check(t, "MPI_File_set_atomicity", said(MPI_File_set_atomicity(file->file, (int)on)), ret);
	met(t);
}

//@ MPI_File_set_info: hints shared met mpi
static void do_MPI_File_set_info(struct task *t, int64_t slot, int64_t many, int64_t ret)
{
	struct shared *file = shared(slot);
	MPI_Info info = hints(many);

	if (file)
		check(t, "MPI_File_set_info", said(MPI_File_set_info(file->file, info)), ret);
	forget(&info);
	met(t);
}

//@ MPI_File_set_view: types hints shared met mpi
static void do_MPI_File_set_view(struct task *t, int64_t slot, int64_t at, int64_t element, int64_t pattern,
	int64_t form, int64_t many, int64_t ret)
{
	static const char *const forms[] = { "native", "internal", "external32", "native" };
	struct shared *file = shared(slot);
	MPI_Info info = hints(many);

	if (file)
		check(t, "MPI_File_set_view", said(MPI_File_set_view(file->file, at, type(element), type(pattern),
			forms[form & 3], info)), ret);
	forget(&info);
	met(t);
}

//@ whence
static int whence(int64_t from)
{
	return from == 0 ? MPI_SEEK_SET : from == 1 ? MPI_SEEK_CUR : MPI_SEEK_END;
}

//@ MPI_File_seek: mpi whence shared
static void do_MPI_File_seek(struct task *t, int64_t slot, int64_t by, int64_t from, int64_t ret)
{
	struct shared *file = shared(slot);

	if (file)
		check(t, "MPI_File_seek", said(MPI_File_seek(file->file, by, whence(from))), ret);
}

//@ MPI_File_seek_shared: mpi whence shared met
static void do_MPI_File_seek_shared(struct task *t, int64_t slot, int64_t by, int64_t from, int64_t ret)
{
	struct shared *file = shared(slot);

	if (file)
		check(t, "MPI_File_seek_shared", said(MPI_File_seek_shared(file->file, by, whence(from))), ret);
	met(t);
}
