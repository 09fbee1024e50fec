// Every MPI-IO call once or a few times; prints what it read so that runs can be compared.
// usage: mpi_all FILE [large]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 16

int main(int argc, char **argv) {
    int rank, size, i, flag, sum = 0;
    MPI_File f, shared;
    MPI_Status status, statuses[4];
    MPI_Request request, requests[4];
    MPI_Offset end;
    MPI_Comm half, copy;
    MPI_Datatype strided, block, renamed;
    MPI_Info info;
    int out[N], in[N];
    char name[512];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 0; i < N; i++) out[i] = rank * 1000 + i;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "automatic");
    snprintf(name, sizeof name, "%s", argv[1]);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f);
    MPI_Info_free(&info);
    MPI_File_set_size(f, 0);
    MPI_File_preallocate(f, (MPI_Offset)size * N * 4 * 16);
    // explicit offsets, with and without status
    MPI_File_write_at(f, (MPI_Offset)rank * N * 4, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(f, (MPI_Offset)(size + rank) * N * 4, out, N, MPI_INT, &status);
    MPI_File_sync(f);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(f, (MPI_Offset)rank * N * 4, in, N, MPI_INT, &status);
    sum += in[N - 1];
    MPI_File_read_at_all(f, (MPI_Offset)(size + (rank + 1) % size) * N * 4, in, N, MPI_INT, MPI_STATUS_IGNORE);
    sum += in[0];
    // own pointer
    MPI_File_seek(f, (MPI_Offset)rank * N * 4, MPI_SEEK_SET);
    MPI_File_write(f, out, N, MPI_INT, &status);
    MPI_File_seek(f, -(MPI_Offset)N * 4, MPI_SEEK_CUR);
    MPI_File_read(f, in, N, MPI_INT, &status);
    sum += in[3];
    MPI_File_seek(f, (MPI_Offset)rank * N * 4, MPI_SEEK_SET);
    MPI_File_write_all(f, out, N, MPI_INT, &status);
    MPI_File_seek(f, (MPI_Offset)rank * N * 4, MPI_SEEK_SET);
    MPI_File_read_all(f, in, N, MPI_INT, &status);
    sum += in[4];
    // nonblocking
    MPI_File_iwrite_at(f, (MPI_Offset)rank * N * 4, out, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (i = 0; i < 4; i++) MPI_File_iread_at(f, (MPI_Offset)(rank * N + i) * 4, in + i, 1, MPI_INT, &requests[i]);
    MPI_Waitall(4, requests, i % 2 ? MPI_STATUSES_IGNORE : statuses);
    sum += in[2];
    MPI_File_seek(f, (MPI_Offset)rank * N * 4, MPI_SEEK_SET);
    MPI_File_iread(f, in, N, MPI_INT, &request);
    for (flag = 0; !flag;) MPI_Test(&request, &flag, &status);
    sum += in[1];
    MPI_File_iwrite_at_all(f, (MPI_Offset)rank * N * 4, out, N, MPI_INT, &request);
    MPI_Waitany(1, &request, &i, MPI_STATUS_IGNORE);
    MPI_File_seek(f, (MPI_Offset)rank * N * 4, MPI_SEEK_SET);
    MPI_File_iwrite(f, out, N, MPI_INT, &requests[0]);
    MPI_Irecv(&flag, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&rank, 1, MPI_INT, rank, 7, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    // split collective
    MPI_File_write_at_all_begin(f, (MPI_Offset)rank * N * 4, out, N, MPI_INT);
    MPI_File_write_at_all_end(f, out, &status);
    MPI_File_read_at_all_begin(f, (MPI_Offset)rank * N * 4, in, N, MPI_INT);
    MPI_File_read_at_all_end(f, in, MPI_STATUS_IGNORE);
    sum += in[5];
    // view with derived types, made anew each time
    for (i = 0; i < 3; i++) {
        int sizes[2] = {4, size * 4}, parts[2] = {4, 4}, starts[2] = {0, rank * 4};
        MPI_Type_vector(4, 1, 2, MPI_INT, &block);
        MPI_Type_create_resized(block, 0, 64, &renamed);
        MPI_Type_commit(&renamed);
        MPI_Type_free(&block);
        MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &strided);
        MPI_Type_commit(&strided);
        MPI_File_set_view(f, 128, MPI_INT, strided, "native", MPI_INFO_NULL);
        MPI_File_write_all(f, out, N, MPI_INT, &status);
        MPI_File_write_at_all(f, 0, out, 1, renamed, MPI_STATUS_IGNORE);
        MPI_File_read_at_all(f, 0, in, N, MPI_INT, &status);
        MPI_Type_free(&strided);
        MPI_Type_free(&renamed);
    }
    sum += in[1];
    MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_set_atomicity(f, 1);
    MPI_File_set_atomicity(f, 0);
    MPI_File_get_size(f, &end);
    // a read beyond the end moves less
    MPI_File_read_at(f, end - 8, in, N, MPI_INT, &status);
    MPI_Get_count(&status, MPI_BYTE, &i);
    sum += i;
#if MPI_VERSION >= 4
    MPI_File_write_at_c(f, (MPI_Offset)rank * N * 4, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_c(f, (MPI_Offset)rank * N * 4, in, N, MPI_INT, MPI_STATUS_IGNORE);
#endif
    MPI_File_close(&f);
    // shared pointer, and a communicator of half the processes
    snprintf(name, sizeof name, "%s.%d", argv[1], rank % 2);
    MPI_File_open(half, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &shared);
    MPI_File_write_ordered(shared, out, N, MPI_INT, &status);
    MPI_File_seek_shared(shared, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(shared, in, N, MPI_INT, &status);
    sum += in[7];
    MPI_File_write_shared(shared, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(half);
    MPI_File_close(&shared);
    MPI_Barrier(copy);
    if (rank < 2) MPI_File_delete(name, MPI_INFO_NULL);
    // failures are the program's to see
    i = MPI_File_open(MPI_COMM_SELF, "/nonexistent/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
    MPI_Error_class(i, &i);
    printf("rank %d of %d sum %d size %ld class %d\n", rank, size, sum, (long)end, i);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
