/* Every 0.9 s each rank writes a file of its own, ranks somewhat out of step: mpi_files FOLDER. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 18, BYTES = 5 << 19 };

static char block[BYTES];

static void sleep_until(double moment) {
    for (double left = moment - MPI_Wtime(); left > 0; left = moment - MPI_Wtime()) usleep((useconds_t)(left * 1e6) + 1);
}

int main(int count, char **words) {
    int rank;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(block, 'x', sizeof block);
    srand(rank + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    double begun = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        char path[4096];
        sleep_until(begun + step * 0.9 + 0.3 + rank * 0.03 + rand() % 60 * 1e-3);
        snprintf(path, sizeof path, "%s/out.%04d.%d", words[1], step, rank);
        int file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        if (file < 0 || write(file, block, sizeof block) != (ssize_t)sizeof block || close(file)) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    sleep_until(begun + STEPS * 0.9);
    MPI_Finalize();
    return 0;
}
