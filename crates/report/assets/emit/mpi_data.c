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
static void do_##call##_begin(struct task *t, int64_t slot, int64_t bytes, int64_t number, int64_t ret) \
{ \
	struct shared *file = shared(slot); \
	struct data d = data(t, bytes, number); \
	if (!file) \
		return; \
	file->end = call##_end; \
	check(t, #call "_begin", said(call##_begin(file->file, d.start, d.count, d.type)), ret); \
}
#define SPLIT_AT(call) \
static void do_##call##_begin(struct task *t, int64_t slot, int64_t at, int64_t bytes, int64_t number, int64_t ret) \
{ \
	struct shared *file = shared(slot); \
	struct data d = data(t, bytes, number); \
	if (!file) \
		return; \
	file->end = call##_end; \
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
