/* Small programs whose I/O depends on rank and size in known ways. First argument: which; second: where.
 *
 *   grid        a plane of doubles, divided among a balanced grid of ranks, written by subarray types
 *   cube        a block of doubles, divided among a balanced grid of three dimensions, written by subarray types
 *   rows        the same, each rank writes its rows at offsets of its own
 *   groups      every fourth rank writes a file for its group
 *   shared      four ranks share a file
 *   serial      rank 0 writes for all
 *   padded      names with zeros: a folder for every eight ranks, in it a file per step and rank
 *   rest        work that does not divide: the first ranks have one piece more
 *   triangle    offsets by half of rank*(rank-1), then those of the partner rank^1
 *   levels      a folder for every four ranks, in it a file per step and rank
 *   strong      so much work, divided: fewer and other blocks with more ranks
 *   ring        each rank reads what its third neighbour wrote
 *   random      offsets without a rule
 *   bits        offsets by the bits of the rank backwards: a rule that only the user knows
 *   input       loops whose count has no rule
 *   gaps        computes (sleeps) 2.4 s / ranks + 50 ms between writes
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static const char *folder;
static char path[4096], block[1 << 16];

static int opened(const char *form, int a, int b, int c, int flags) {
    char name[512];
    snprintf(name, sizeof name, form, a, b, c);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return open(path, flags, 0644);
}

static void written(int descriptor, long at, size_t bytes) {
    if (pwrite(descriptor, block, bytes, at) != (ssize_t)bytes) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void nap(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static void grid(void) {
    enum { NX = 1440, NY = 720 };
    int sides[2] = {0, 0}, whole[2] = {NX, NY}, part[2], first[2];
    MPI_Dims_create(size, 2, sides);
    part[0] = NX / sides[0], part[1] = NY / sides[1];
    first[0] = rank / sides[1] * part[0], first[1] = rank % sides[1] * part[1];
    MPI_Datatype plane;
    MPI_Type_create_subarray(2, whole, part, first, MPI_ORDER_C, MPI_DOUBLE, &plane);
    MPI_Type_commit(&plane);
    double *data = calloc((size_t)part[0] * part[1], sizeof *data);
    for (int step = 0; step < 3; step++) {
        MPI_File file;
        snprintf(path, sizeof path, "%s/plane.%04d", folder, step);
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        MPI_File_set_view(file, 64, MPI_DOUBLE, plane, "native", MPI_INFO_NULL);
        MPI_File_write_all(file, data, part[0] * part[1], MPI_DOUBLE, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    MPI_Type_free(&plane);
    free(data);
}

/* Sides, part and first element of this rank in a block of as many elements in each direction. */
static void block_of(int whole, int *part, int *first) {
    int sides[3] = {0, 0, 0}, rest = rank;
    MPI_Dims_create(size, 3, sides);
    for (int at = 2; at >= 0; at--) {
        part[at] = whole / sides[at];
        first[at] = rest % sides[at] * part[at];
        rest /= sides[at];
    }
}

static void cube(void) {
    int whole[3] = {60, 60, 60}, part[3], first[3];
    block_of(60, part, first);
    MPI_Datatype body;
    MPI_Type_create_subarray(3, whole, part, first, MPI_ORDER_C, MPI_DOUBLE, &body);
    MPI_Type_commit(&body);
    int count = part[0] * part[1] * part[2];
    double *data = calloc(count, sizeof *data);
    MPI_File file;
    snprintf(path, sizeof path, "%s/cube", folder);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_DOUBLE, body, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&body);
    free(data);
}

static void rows(void) {
    const long whole = 60;
    int part[3], first[3];
    block_of(whole, part, first);
    int file = opened("rows", 0, 0, 0, O_CREAT | O_WRONLY);
    for (int x = 0; x < part[0]; x++)
        for (int y = 0; y < part[1]; y++)
            written(file, (((first[0] + x) * whole + first[1] + y) * whole + first[2]) * 8, part[2] * 8);
    close(file);
}

static void shared(void) {
    int file = opened("shared.%02d", rank / 4, 0, 0, O_CREAT | O_WRONLY);
    for (int step = 0; step < 6; step++) written(file, (step * 4 + rank % 4) * 4096L, 4096);
    close(file);
}

static void serial(void) {
    if (rank == 0) {
        int file = opened("serial", 0, 0, 0, O_CREAT | O_WRONLY);
        for (int other = 0; other < size; other++) written(file, other * 4096L, 4096);
        close(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void padded(void) {
    snprintf(path, sizeof path, "%s/dir_%02d", folder, rank / 8);
    if (rank % 8 == 0) mkdir(path, 0755);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 8; step < 12; step++) {
        int file = opened("dir_%02d/step%02d.%02d", rank / 8, step, rank % 8, O_CREAT | O_WRONLY);
        written(file, 0, 4096);
        close(file);
    }
    close(opened("all.%02d", rank, 0, 0, O_CREAT | O_WRONLY));
}

static void rest(void) {
    const long pieces = 1000;
    long first = rank * (pieces / size) + (rank < pieces % size ? rank : pieces % size);
    long mine = pieces / size + (rank < pieces % size);
    int file = opened("rest", 0, 0, 0, O_CREAT | O_WRONLY);
    for (long piece = 0; piece < mine; piece++) written(file, (first + piece) * 512, 512);
    close(file);
}

static void triangle(void) {
    int file = opened("triangle", 0, 0, 0, O_CREAT | O_WRONLY);
    for (int step = 0; step < 3; step++) {
        written(file, rank * (rank - 1L) / 2 * 4096 + step * 512, 512);
        written(file, (rank ^ 1) * 65536L + step * 1024, 1024);
    }
    close(file);
}

static void groups(void) {
    if (rank % 4 == 0) {
        int file = opened("group.%d", rank / 4, 0, 0, O_CREAT | O_WRONLY);
        for (int step = 0; step < 5; step++) written(file, step * 8192L, 8192);
        fsync(file);
        close(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void levels(void) {
    snprintf(path, sizeof path, "%s/dir_%d", folder, rank / 4);
    if (rank % 4 == 0) mkdir(path, 0755);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < 4; step++) {
        int file = opened("dir_%d/step%d.%03d", rank / 4, step, rank % 4, O_CREAT | O_WRONLY);
        written(file, 0, 4096);
        close(file);
    }
}

static void strong(void) {
    const long items = 1440;
    int file = opened("strong", 0, 0, 0, O_CREAT | O_WRONLY);
    for (long item = 0; item < items / size; item++) written(file, (rank * (items / size) + item) * 512, 512);
    close(file);
}

static void ring(void) {
    int file = opened("ring", 0, 0, 0, O_CREAT | O_RDWR);
    written(file, rank * 4096L, 4096);
    MPI_Barrier(MPI_COMM_WORLD);
    if (pread(file, block, 4096, (rank + 3) % size * 4096L) != 4096) MPI_Abort(MPI_COMM_WORLD, 1);
    close(file);
}

static void without_rule(void) {
    int file = opened("random", 0, 0, 0, O_CREAT | O_WRONLY);
    for (unsigned step = 0; step < 6; step++) {
        unsigned long mixed = (rank * 2654435761u ^ size * 40503u ^ step * 97u) * 2246822519u;
        written(file, (mixed >> 7) % 100000 * 512L, 512);
    }
    close(file);
}

static void bits(void) {
    int file = opened("bits", 0, 0, 0, O_CREAT | O_WRONLY);
    long at = rank % 2 * 4 + rank / 2 % 2 * 2 + rank / 4 % 2 + rank / 8 * 8L;
    for (int step = 0; step < 5; step++) written(file, at * 8192 + step * 512, 512);
    close(file);
}

static void input(void) {
    int file = opened("input", 0, 0, 0, O_CREAT | O_WRONLY | O_APPEND);
    int turns = 3 + (size * 7919 % 13) + (rank * 31 % 5);
    for (int turn = 0; turn < turns; turn++) written(file, 0, 100), fsync(file);
    close(file);
}

static void gaps(void) {
    int file = opened("gaps.%d", rank, 0, 0, O_CREAT | O_WRONLY);
    for (int step = 0; step < 4; step++) {
        nap(2.4 / size + 0.05);
        written(file, step * 4096L, 4096);
    }
    close(file);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const struct { const char *name; void (*run)(void); } all[] = {
        {"grid", grid}, {"groups", groups}, {"levels", levels}, {"strong", strong}, {"ring", ring},
        {"random", without_rule}, {"bits", bits}, {"input", input}, {"gaps", gaps}, {"cube", cube}, {"rows", rows},
        {"shared", shared}, {"serial", serial}, {"padded", padded}, {"rest", rest}, {"triangle", triangle},
    };
    folder = words[2];
    for (size_t at = 0; at < sizeof all / sizeof *all; at++)
        if (!strcmp(words[1], all[at].name)) all[at].run();
    MPI_Finalize();
    return 0;
}
