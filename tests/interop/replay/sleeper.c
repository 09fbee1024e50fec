/* A program that computes (sleeps) most of its time. Usage: mpirun -n N sleeper posix|mpiio FOLDER TURNS [MICROSECONDS] */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char block[65536];

static void compute(long microseconds) {
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

int main(int count, char **arguments) {
    char path[1024];
    int rank, size;
    MPI_File file;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (count < 4) return 2;
    int turns = atoi(arguments[3]);
    long pause = count > 4 ? atol(arguments[4]) : 50000;
    if (!strcmp(arguments[1], "mpiio")) {
        snprintf(path, sizeof path, "%s/shared", arguments[2]);
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        for (int turn = 0; turn < turns; turn++) {
            compute(pause);
            MPI_Offset at = ((MPI_Offset)turn * size + rank) * sizeof block;
            MPI_File_write_at_all(file, at, block, sizeof block, MPI_BYTE, MPI_STATUS_IGNORE);
        }
        MPI_File_close(&file);
    } else {
        snprintf(path, sizeof path, "%s/own.%d", arguments[2], rank);
        int fd = open(path, O_CREAT | O_WRONLY, 0644);
        for (int turn = 0; turn < turns; turn++) {
            compute(rank == 0 ? pause : pause / 10 * 9);
            if (pwrite(fd, block, sizeof block, (off_t)turn * sizeof block) < 0) return 3;
        }
        close(fd);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
