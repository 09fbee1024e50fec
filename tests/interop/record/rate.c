/* Writes at a steady rate: FILE SECONDS RATE. Prints the processor time it used, in microseconds. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **words)
{
    if (count < 4)
        return 2;
    long rate = atol(words[3]), calls = atol(words[2]) * rate;
    static char room[4096];
    int fd = open(words[1], O_CREAT | O_WRONLY | O_TRUNC, 0600);
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    for (long i = 0; i < calls; i++) {
        if (pwrite(fd, room, sizeof room, i % 256 * (long)sizeof room) != sizeof room)
            return 1;
        at.tv_nsec += 1000000000 / rate;
        if (at.tv_nsec >= 1000000000) {
            at.tv_nsec -= 1000000000;
            at.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    }
    close(fd);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%ld\n", (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 + used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    return 0;
}
