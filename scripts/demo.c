// A small simulation for `make demo`: it reads its input, computes in steps, and keeps a state, a
// journal and a log. With -DWITH_MPI its processes are ranks of MPI and the state is one shared
// file; without, they are forked and each has a state of its own.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { RANKS = 4, STEPS = 12, STATE = 1 << 20, INPUT = 1 << 20, PAGE = 4096, ENTRY = 64, ENTRIES = 400 };

// There under the recorder alone: everything so far is kept, with a mark in the trace behind it.
extern void marigraph_flush(void) __attribute__((weak));

static char state[STATE];
static int failures;

static void expect(int fine) { failures += !fine; }

static void read_input(void)
{
    char page[PAGE];
    int fd = open("input", O_RDONLY);
    for (int at = 0; at < INPUT; at += PAGE)
        expect(read(fd, page, PAGE) == PAGE);
    close(fd);
}

// Waiting stands for computing.
static void compute(void)
{
    struct timespec time = {0, 200 * 1000 * 1000};
    nanosleep(&time, NULL);
}

static void write_state(int rank, int step)
{
    char path[64];
#ifdef WITH_MPI
    MPI_File file;
    snprintf(path, sizeof path, "state.%03d", step);
    expect(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) == 0);
    expect(MPI_File_write_at_all(file, (MPI_Offset)rank * STATE, state, STATE, MPI_BYTE, MPI_STATUS_IGNORE) == 0);
    expect(MPI_File_close(&file) == 0);
#else
    snprintf(path, sizeof path, "state.%03d.%d", step, rank);
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    expect(write(fd, state, STATE) == STATE);
    expect(fsync(fd) == 0 && close(fd) == 0);
#endif
}

// Many small records, each with a call of its own: what the report warns of.
static void write_journal(int fd)
{
    char entry[ENTRY];
    memset(entry, 'j', ENTRY);
    for (int at = 0; at < ENTRIES; at++)
        expect(write(fd, entry, ENTRY) == ENTRY);
}

static void work(int rank)
{
    char path[64];
    snprintf(path, sizeof path, "journal.%d", rank);
    int journal = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    FILE *log = rank == 0 ? fopen("log", "w") : NULL;
    memset(state, 'a' + rank, STATE);
    read_input();
    for (int step = 0; step < STEPS; step++) {
        compute();
        write_state(rank, step);
        write_journal(journal);
        if (log)
            fprintf(log, "step %d is done\n", step);
        if (marigraph_flush)
            marigraph_flush();
    }
    if (log)
        fclose(log);
    close(journal);
}

static int make_input(void)
{
    FILE *input = fopen("input", "w");
    int fine = input && fwrite(state, 1, INPUT, input) == INPUT;
    return input && fclose(input) == 0 && fine;
}

#ifdef WITH_MPI
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    // "check": does MPI work here, and is the launcher that of the library?
    int fine = size == RANKS;
    if (fine && argc == 1) {
        expect(rank != 0 || make_input());
        MPI_Barrier(MPI_COMM_WORLD);
        work(rank);
    }
    MPI_Finalize();
    return !fine || failures > 0;
}
#else
int main(void)
{
    int rank = 0, status;
    expect(make_input());
    while (rank < RANKS - 1 && fork() != 0)
        rank++;
    if (rank < RANKS - 1) {
        work(rank + 1);
        return failures > 0;
    }
    work(0);
    while (wait(&status) > 0)
        failures += status != 0;
    return failures > 0;
}
#endif
