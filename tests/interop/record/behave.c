/* Behaves in one of several ways for eight seconds: behave KIND FOLDER. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double begun;
static char block[1 << 20];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void sleep_until(double seconds) {
    double left = begun + seconds - now();
    if (left > 0) usleep((useconds_t)(left * 1e6));
}

static int open_file(const char *folder, const char *name, int number, int flags) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%04d", folder, name, number);
    int file = open(path, flags, 0600);
    if (file < 0) {
        perror(path);
        exit(1);
    }
    return file;
}

static void write_mb(int file, int megabytes) {
    while (megabytes-- > 0)
        if (write(file, block, sizeof block) != (ssize_t)sizeof block) exit(1);
}

static void whole_file(const char *folder, const char *name, int number, int megabytes) {
    int file = open_file(folder, name, number, O_CREAT | O_WRONLY | O_TRUNC);
    write_mb(file, megabytes);
    close(file);
}

int main(int count, char **words) {
    if (count != 3) return 2;
    const char *kind = words[1], *folder = words[2];
    begun = now();
    memset(block, 'x', sizeof block);
    if (!strcmp(kind, "read_on_start")) {
        int file = open_file(folder, "input", 0, O_RDONLY);
        while (read(file, block, sizeof block) > 0) {}
        close(file);
    } else if (!strcmp(kind, "write_on_end")) {
        sleep_until(7);
        whole_file(folder, "result", 0, 160);
    } else if (!strcmp(kind, "steady")) {
        int file = open_file(folder, "stream", 0, O_CREAT | O_WRONLY);
        for (int step = 0; step < 1600; step++) {
            if (write(file, block, 100 << 10) < 0) return 1;
            sleep_until((step + 1) * 0.005);
        }
        close(file);
    } else if (!strcmp(kind, "two_periods")) {
        for (int step = 0; step < 32; step++) {
            sleep_until(step * 0.25 + 0.02);
            whole_file(folder, "log", step, 1);
            if (step % 4 == 1) {
                sleep_until(step * 0.25 + 0.1);
                whole_file(folder, "checkpoint", step, 24);
            }
        }
    } else if (!strcmp(kind, "held_open")) {
        int file = open_file(folder, "checkpoints", 0, O_CREAT | O_WRONLY);
        for (int step = 0; step < 8; step++) {
            sleep_until(step + 0.25);
            write_mb(file, 24);
        }
        sleep_until(7.9);
        close(file);
    } else if (!strcmp(kind, "metadata_storm")) {
        for (int step = 0; step < 3200; step++) {
            close(open_file(folder, "small", step % 100, O_CREAT | O_WRONLY));
            sleep_until((step + 1) * 0.0025);
        }
    } else {
        return 2;
    }
    sleep_until(8);
    return 0;
}
