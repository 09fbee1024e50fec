//@ data: types room
/* Where data of a type lies, and how many of it make so many bytes. */
struct data { MPI_Datatype type; int count; void *start; };

static struct data data(struct task *t, int64_t bytes, int64_t number)
{
	struct data data = { .type = type(number) };
	MPI_Count size = 1, lower, extent, least, true_extent;
	int64_t before, span;

	MPI_Type_size_x(data.type, &size);
	MPI_Type_get_extent_x(data.type, &lower, &extent);
	MPI_Type_get_true_extent_x(data.type, &least, &true_extent);
	data.count = size > 0 && bytes / size <= INT_MAX ? (int)(bytes / size) : 0;
	before = least < 0 ? -least : 0;
	span = (data.count > 1 ? (data.count - 1) * extent : 0) + true_extent + (least > 0 ? least : 0);
	data.start = (char *)room(t, before + (span > 0 ? span : 1)) + before;
	return data;
}

//@ transfer: data moved shared met
/* Reads and writes that return when they are done; `all` if all of the communicator come there. */
#define TRANSFER(call, all) \
static void do_##call(struct task *t, int64_t slot, int64_t bytes, int64_t number, int64_t ret) \
{ \
	struct shared *file = shared(slot); \
	struct data d = data(t, bytes, number); \
	MPI_Status status; \
	if (!file) \
		return; \
	check(t, #call, moved(call(file->file, d.start, d.count, d.type, &status), &status), ret); \
	if (all) \
		met(t); \
}
#define TRANSFER_AT(call, all) \
static void do_##call(struct task *t, int64_t slot, int64_t at, int64_t bytes, int64_t number, int64_t ret) \
{ \
	struct shared *file = shared(slot); \
	struct data d = data(t, bytes, number); \
	MPI_Status status; \
	if (!file) \
		return; \
	check(t, #call, moved(call(file->file, at, d.start, d.count, d.type, &status), &status), ret); \
	if (all) \
		met(t); \
}

//@ MPI_File_read: transfer
TRANSFER(MPI_File_read, 0)

//@ MPI_File_read_all: transfer
TRANSFER(MPI_File_read_all, 1)

//@ MPI_File_read_shared: transfer
TRANSFER(MPI_File_read_shared, 0)

//@ MPI_File_read_ordered: transfer
TRANSFER(MPI_File_read_ordered, 1)

//@ MPI_File_read_at: transfer
TRANSFER_AT(MPI_File_read_at, 0)

//@ MPI_File_read_at_all: transfer
TRANSFER_AT(MPI_File_read_at_all, 1)

//@ MPI_File_write: transfer
TRANSFER(MPI_File_write, 0)

//@ MPI_File_write_all: transfer
TRANSFER(MPI_File_write_all, 1)

//@ MPI_File_write_shared: transfer
TRANSFER(MPI_File_write_shared, 0)

//@ MPI_File_write_ordered: transfer
TRANSFER(MPI_File_write_ordered, 1)

//@ MPI_File_write_at: transfer
TRANSFER_AT(MPI_File_write_at, 0)

//@ MPI_File_write_at_all: transfer
TRANSFER_AT(MPI_File_write_at_all, 1)

//@ begin: data shared numbered mpi
/* Reads and writes that return at once, with the number of their request. */
#define BEGIN(call) \
static void do_##call(struct task *t, int64_t slot, int64_t bytes, int64_t number, int64_t request, int64_t ret) \
{ \
	struct shared *file = shared(slot); \
	struct data d = data(t, bytes, number); \
	MPI_Request under_way = MPI_REQUEST_NULL; \
	if (!file) \
		return; \
	check(t, #call, said(call(file->file, d.start, d.count, d.type, &under_way)), ret); \
	*(MPI_Request *)numbered(REQUESTS, request, sizeof(MPI_Request)) = under_way; \
}
#define BEGIN_AT(call) \
static void do_##call(struct task *t, int64_t slot, int64_t at, int64_t bytes, int64_t number, int64_t request, \
	int64_t ret) \
{ \
	struct shared *file = shared(slot); \
	struct data d = data(t, bytes, number); \
	MPI_Request under_way = MPI_REQUEST_NULL; \
	if (!file) \
		return; \
	check(t, #call, said(call(file->file, at, d.start, d.count, d.type, &under_way)), ret); \
	*(MPI_Request *)numbered(REQUESTS, request, sizeof(MPI_Request)) = under_way; \
}

//@ MPI_File_iread: begin
BEGIN(MPI_File_iread)

//@ MPI_File_iread_all: begin
BEGIN(MPI_File_iread_all)

//@ MPI_File_iread_shared: begin
BEGIN(MPI_File_iread_shared)

//@ MPI_File_iread_at: begin
BEGIN_AT(MPI_File_iread_at)

//@ MPI_File_iread_at_all: begin
BEGIN_AT(MPI_File_iread_at_all)

//@ MPI_File_iwrite: begin
BEGIN(MPI_File_iwrite)

//@ MPI_File_iwrite_all: begin
BEGIN(MPI_File_iwrite_all)

//@ MPI_File_iwrite_shared: begin
BEGIN(MPI_File_iwrite_shared)

//@ MPI_File_iwrite_at: begin
BEGIN_AT(MPI_File_iwrite_at)

//@ MPI_File_iwrite_at_all: begin
BEGIN_AT(MPI_File_iwrite_at_all)

//@ MPI_Wait: numbered moved
static void do_MPI_Wait(struct task *t, int64_t number, int64_t ret)
{
	MPI_Request *request = numbered(REQUESTS, number, sizeof(*request));
	MPI_Status status;

	check(t, "MPI_Wait", moved(MPI_Wait(request, &status), &status), ret);
	*request = MPI_REQUEST_NULL;
}

//@ split: data shared mpi
/* The first half of a collective call; the file keeps how it ends. */
#define SPLIT(call) \
static int call##_ends(MPI_File file, void *data, MPI_Status *status) \
{ \
	return call##_end(file, data, status); \
} \
static void do_##call##_begin(struct task *t, int64_t slot, int64_t bytes, int64_t number, int64_t ret) \
{ \
	struct shared *file = shared(slot); \
	struct data d = data(t, bytes, number); \
	if (!file) \
		return; \
	file->end = call##_ends; \
	check(t, #call "_begin", said(call##_begin(file->file, d.start, d.count, d.type)), ret); \
}
#define SPLIT_AT(call) \
static int call##_ends(MPI_File file, void *data, MPI_Status *status) \
{ \
	return call##_end(file, data, status); \
} \
static void do_##call##_begin(struct task *t, int64_t slot, int64_t at, int64_t bytes, int64_t number, int64_t ret) \
{ \
	struct shared *file = shared(slot); \
	struct data d = data(t, bytes, number); \
	if (!file) \
		return; \
	file->end = call##_ends; \
	check(t, #call "_begin", said(call##_begin(file->file, at, d.start, d.count, d.type)), ret); \
}

//@ MPI_File_read_all_begin: split
SPLIT(MPI_File_read_all)

//@ MPI_File_read_ordered_begin: split
SPLIT(MPI_File_read_ordered)

//@ MPI_File_read_at_all_begin: split
SPLIT_AT(MPI_File_read_at_all)

//@ MPI_File_write_all_begin: split
SPLIT(MPI_File_write_all)

//@ MPI_File_write_ordered_begin: split
SPLIT(MPI_File_write_ordered)

//@ MPI_File_write_at_all_begin: split
SPLIT_AT(MPI_File_write_at_all)

//@ MPI_File_end: mpi room moved shared met
static void do_MPI_File_end(struct task *t, int64_t slot, int64_t ret)
{
	struct shared *file = shared(slot);
	MPI_Status status;

	if (!file || !file->end)
		return;
	check(t, "MPI_File_end", moved(file->end(file->file, room(t, 1), &status), &status), ret);
	met(t);
}
