/* Behaves in one of several ways, phase by phase: phases KIND FOLDER.
 * Phases begin at moments counted from the start, so the time that I/O takes does not shift them. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1 << 20)

static double begun;
static const char *folder;
static char block[MIB];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void sleep_until(double seconds) {
    for (double left = begun + seconds - now(); left > 0; left = begun + seconds - now()) usleep((useconds_t)(left * 1e6) + 1);
}

static int open_file(const char *name, int number, int flags) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%04d", folder, name, number);
    int file = open(path, flags, 0600);
    if (file < 0) {
        perror(path);
        exit(1);
    }
    return file;
}

static void write_bytes(int file, long bytes) {
    while (bytes > 0) {
        long part = bytes < MIB ? bytes : MIB;
        if (write(file, block, part) != part) exit(1);
        bytes -= part;
    }
}

static void whole_file(const char *name, int number, long mib) {
    int file = open_file(name, number, O_CREAT | O_WRONLY | O_TRUNC);
    write_bytes(file, mib * MIB);
    close(file);
}

static void read_file(const char *name, int number) {
    static char target[MIB];
    int file = open_file(name, number, O_RDONLY);
    while (read(file, target, sizeof target) > 0) {}
    close(file);
}

/* Twelve checkpoints, one each second, each in a file of its own. */
static double checkpoint_files(void) {
    for (int step = 0; step < 12; step++) {
        sleep_until(step + 0.5);
        whole_file("checkpoint", step, 16);
    }
    return 12;
}

/* 160 small phases, one every 50 ms, into one file that stays open. */
static double tiny_period(void) {
    int file = open_file("samples", 0, O_CREAT | O_WRONLY);
    for (int step = 0; step < 160; step++) {
        sleep_until(step * 0.05 + 0.02);
        write_bytes(file, MIB + MIB / 4);
    }
    close(file);
    return 8;
}

/* Eight phases, one every 5 s, into one file that stays open. */
static double long_period(void) {
    int file = open_file("state", 0, O_CREAT | O_WRONLY);
    for (int step = 0; step < 8; step++) {
        sleep_until(step * 5 + 2.4);
        write_bytes(file, 24 * MIB);
    }
    sleep_until(39.6);
    close(file);
    return 39.7;
}

/* Eight iterations of 1.5 s: reads its input, computes, writes its output, computes. */
static double in_and_out(void) {
    for (int step = 0; step < 8; step++) {
        sleep_until(step * 1.5 + 0.2);
        read_file("input", step);
        sleep_until(step * 1.5 + 0.9);
        whole_file("output", step, 24);
    }
    return 12;
}

/* Reads the state of an earlier run, then writes a checkpoint every 1.1 s. */
static double restart(void) {
    read_file("input", 0);
    for (int step = 0; step < 12; step++) {
        sleep_until(step * 1.1 + 0.55);
        whole_file("checkpoint", step, 16);
    }
    return 13.2;
}

/* Bursts at moments without any rhythm, most of the bytes in the second quarter. */
static double random_bursts(void) {
    static const double moments[] = {0.91, 1.27, 4.04, 4.33, 5.11, 6.72, 6.88, 10.61, 13.06};
    static const int mib[] = {10, 6, 40, 25, 50, 30, 45, 12, 8};
    for (int at = 0; at < 9; at++) {
        sleep_until(moments[at]);
        whole_file("burst", at, mib[at]);
    }
    return 14;
}

/* A log that grows every 0.25 s, and a large checkpoint every 2 s. */
static double two_rhythms(void) {
    int log = open_file("events", 0, O_CREAT | O_WRONLY);
    for (int step = 0; step < 64; step++) {
        sleep_until(step * 0.25 + 0.02);
        write_bytes(log, MIB);
        if (step % 8 == 4) {
            sleep_until(step * 0.25 + 0.1);
            whole_file("checkpoint", step, 40);
        }
    }
    close(log);
    return 16;
}

/* A phase every 0.8 s, but four of twenty are left out. */
static double missing(void) {
    for (int step = 0; step < 20; step++) {
        if (step == 4 || step == 9 || step == 10 || step == 15) continue;
        sleep_until(step * 0.8 + 0.4);
        whole_file("output", step, 12);
    }
    return 16;
}

/* Distances between phases grow from 0.8 to 1.2 s. */
static double drift(void) {
    double at = 0.5;
    for (int step = 0; step < 15; step++) {
        sleep_until(at);
        whole_file("output", step, 12);
        at += 0.8 + 0.4 * step / 13;
    }
    return 15;
}

/* Eight small phases every 0.5 s, then eight larger ones every 1.5 s. */
static double regimes(void) {
    for (int step = 0; step < 8; step++) {
        sleep_until(step * 0.5 + 0.3);
        whole_file("fast", step, 6);
    }
    for (int step = 0; step < 8; step++) {
        sleep_until(4.3 + step * 1.5);
        whole_file("slow", step, 18);
    }
    return 16;
}

static void *one_thread(void *place) {
    int number = (int)(long)place;
    int file = open_file("thread", number, O_CREAT | O_WRONLY);
    for (int step = 0; step < 12; step++) {
        sleep_until(step * 0.9 + 0.4 + number * 0.01);
        write_bytes(file, 4 * MIB);
    }
    close(file);
    return NULL;
}

/* Four threads write every 0.9 s, each to a file of its own. */
static double threads(void) {
    pthread_t all[4];
    for (long number = 0; number < 4; number++) pthread_create(&all[number], NULL, one_thread, (void *)number);
    for (int number = 0; number < 4; number++) pthread_join(all[number], NULL);
    return 10.8;
}

/* Every 1.2 s a child is forked that writes a snapshot under a temporary name and renames it. */
static double background_save(void) {
    for (int step = 0; step < 12; step++) {
        sleep_until(step * 1.2 + 0.6);
        pid_t child = fork();
        if (child == 0) {
            char from[4096], to[4096];
            whole_file("temporary", step, 16);
            snprintf(from, sizeof from, "%s/temporary.%04d", folder, step);
            snprintf(to, sizeof to, "%s/snapshot", folder);
            exit(rename(from, to) ? 1 : 0);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) != child || status) exit(1);
    }
    return 14.4;
}

static const struct { const char *name; double (*run)(void); } kinds[] = {
    {"checkpoint_files", checkpoint_files}, {"tiny_period", tiny_period}, {"long_period", long_period},
    {"in_and_out", in_and_out}, {"restart", restart}, {"random_bursts", random_bursts},
    {"two_rhythms", two_rhythms}, {"missing", missing}, {"drift", drift}, {"regimes", regimes},
    {"threads", threads}, {"background_save", background_save},
};

int main(int count, char **words) {
    if (count != 3) return 2;
    begun = now();
    folder = words[2];
    memset(block, 'x', sizeof block);
    for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++) {
        if (strcmp(words[1], kinds[at].name)) continue;
        sleep_until(kinds[at].run());
        return 0;
    }
    return 2;
}
