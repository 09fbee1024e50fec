/* Calls of MPI-IO of every kind that a replay makes again. Usage: mpirun -n N everything FOLDER */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[512], path[1024];
static int rank, size;
static double data[4096];

static MPI_File opened(MPI_Comm comm, const char *name, int mode, MPI_Info info) {
    MPI_File file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (MPI_File_open(comm, path, mode, info, &file) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 9);
    return file;
}

static void use(MPI_Datatype type, MPI_File file, MPI_Offset at) {
    MPI_Type_commit(&type);
    MPI_File_set_view(file, at, MPI_INT, type, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
}

/* A view by each constructor. */
static void views(void) {
    MPI_File file = opened(MPI_COMM_WORLD, "views", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL);
    MPI_Datatype type, inner;
    int lengths[3] = {1, 2, 1}, places[3] = {0, 2, 6}, zero[2] = {0, 0}, whole[2] = {8, 8}, part[2] = {2, 4};
    MPI_Aint addresses[3] = {0, 8, 24};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Offset at = 65536 * (MPI_Offset)rank;
    MPI_Type_contiguous(4, MPI_INT, &type), use(type, file, at);
    MPI_Type_vector(3, 2, 4, MPI_INT, &type), use(type, file, at);
    MPI_Type_create_hvector(3, 2, 64, MPI_INT, &type), use(type, file, at);
    MPI_Type_indexed(3, lengths, places, MPI_INT, &type), use(type, file, at);
    MPI_Type_create_hindexed(3, lengths, addresses, MPI_INT, &type), use(type, file, at);
    MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type), use(type, file, at);
    MPI_Type_create_hindexed_block(3, 1, addresses, MPI_INT, &type), use(type, file, at);
    MPI_Type_create_struct(3, lengths, addresses, types, &type), use(type, file, at);
    MPI_Type_create_subarray(2, whole, part, zero, MPI_ORDER_C, MPI_INT, &type), use(type, file, at);
    MPI_Type_create_subarray(2, whole, part, zero, MPI_ORDER_FORTRAN, MPI_INT, &type), use(type, file, at);
    int sizes[1] = {16 * size}, kinds[1] = {MPI_DISTRIBUTE_CYCLIC}, arguments[1] = {2}, processes[1] = {size};
    MPI_Type_create_darray(size, rank, 1, sizes, kinds, arguments, processes, MPI_ORDER_C, MPI_INT, &type);
    use(type, file, 1 << 20);
    kinds[0] = MPI_DISTRIBUTE_BLOCK, arguments[0] = MPI_DISTRIBUTE_DFLT_DARG;
    MPI_Type_create_darray(size, rank, 1, sizes, kinds, arguments, processes, MPI_ORDER_C, MPI_INT, &type);
    use(type, file, 1 << 20);
    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 32, &type), use(type, file, at);
    MPI_Type_dup(inner, &type), use(type, file, at);
    MPI_Type_free(&inner);
    /* Memory that is not in one piece. */
    MPI_Type_vector(16, 1, 2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_write_at(file, at, data, 3, type, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, at, data, 3, type, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    /* Memory that reaches far beyond its extent, and memory before the buffer. */
    static char wide[1 << 24];
    MPI_Type_vector(2, 1, 1 << 20, MPI_DOUBLE, &inner);
    MPI_Type_create_resized(inner, 0, 8, &type);
    MPI_Type_commit(&type);
    MPI_File_write_at(file, at, wide, 3, type, MPI_STATUS_IGNORE);
    MPI_Type_free(&type), MPI_Type_free(&inner);
    addresses[0] = -(6 << 20);
    MPI_Type_create_hindexed(1, lengths, addresses, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_write_at(file, at, wide + (8 << 20), 2, type, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_File_close(&file);
}

/* Positions of their own and shared, sizes, hints, errors. */
static void positions(void) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "1048576");
    MPI_Info_set(info, "striping_unit", "65536");
    MPI_File file = opened(MPI_COMM_WORLD, "positions", MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    MPI_Offset length;
    MPI_File_set_size(file, 1000);
    MPI_File_get_size(file, &length);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_preallocate(file, 4096);
    MPI_File_set_info(file, info);
    MPI_File_set_atomicity(file, 0);
    MPI_File_seek(file, rank * 128, MPI_SEEK_SET);
    MPI_File_write(file, data, 10, MPI_FLOAT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, -8, MPI_SEEK_CUR);
    MPI_File_read(file, data, 2, MPI_SHORT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_seek_shared(file, 512, MPI_SEEK_SET);
    MPI_File_write_shared(file, data, 16, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_ordered(file, data, rank + 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(file, data, 2, MPI_INT, MPI_STATUS_IGNORE);
    /* Beyond the end: fewer bytes than asked for. */
    MPI_File_read_at(file, 1 << 20, data, 100, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Info_free(&info);
    snprintf(path, sizeof path, "%s/nothing", folder);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    snprintf(path, sizeof path, "%s/positions", folder);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_File_delete(path, MPI_INFO_NULL);
}

/* Calls that return before they are done. */
static void later(void) {
    MPI_File file = opened(MPI_COMM_WORLD, "later", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL);
    MPI_Request requests[4];
    MPI_Offset at = 16384 * (MPI_Offset)rank;
    for (int i = 0; i < 4; i++) MPI_File_iwrite_at(file, at + 4096 * i, data, 512, MPI_DOUBLE, &requests[i]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_File_iread_at(file, at, data, 512, MPI_DOUBLE, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_iwrite(file, data, 100, MPI_BYTE, requests);
    int done = 0;
    while (!done) MPI_Test(requests, &done, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, at, data, 256, MPI_DOUBLE);
    MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_read_all_begin(file, data, 256, MPI_DOUBLE);
    MPI_File_read_all_end(file, data, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

/* Files of some ranks, and plain calls beside MPI. */
static void groups(void) {
    MPI_Comm half, copy, pair;
    char name[64];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, -rank, &pair);
    snprintf(name, sizeof name, "half.%d", rank % 2);
    MPI_File file = opened(copy, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL);
    int own;
    MPI_Comm_rank(half, &own);
    MPI_File_write_at_all(file, own * 4096, data, 4096, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Barrier(half);
    MPI_File_close(&file);
    if (pair != MPI_COMM_NULL) {
        file = opened(pair, "pair", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL);
        MPI_File_write_ordered(file, data, 8, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    snprintf(path, sizeof path, "%s/own.%d", folder, rank);
    FILE *stream = fopen(path, "w");
    fprintf(stream, "rank %d\n", rank);
    fclose(stream);
}

/* A file that was there before. */
static void input(void) {
    MPI_File file = opened(MPI_COMM_WORLD, "input", MPI_MODE_RDONLY, MPI_INFO_NULL);
    MPI_File_read_at_all(file, 1000 * rank, data, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int count, char **arguments) {
    int given;
    if (count < 2) return 2;
    strncpy(folder, arguments[1], sizeof folder - 1);
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int turn = 0; turn < 2; turn++) {
        views();
        positions();
        later();
        groups();
        input();
    }
    MPI_Finalize();
    return 0;
}
