/* Two threads write and read; each keeps its true number of completed calls in shared memory, where
 * it survives the end of the process. Usage: counted COUNTERS DATA */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic long *counts;
static const char *data;

static void *work(void *which)
{
    long thread = (long)which;
    char path[512], buffer[64] = "x";
    snprintf(path, sizeof path, "%s.%ld", data, thread);
    int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    if (fd < 0)
        return NULL;
    for (long turn = 0;; turn++) {
        if (pwrite(fd, buffer, 1 + turn % 3, turn % 100000) < 0)
            break;
        atomic_fetch_add(&counts[thread], 1);
        if (turn % 5 == 0) {
            if (pread(fd, buffer, 8, turn % 1000) < 0)
                break;
            atomic_fetch_add(&counts[thread], 1);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    data = argv[2];
    /* By system call: only the counted calls are to be in the record. */
    int fd = syscall(SYS_openat, AT_FDCWD, argv[1], O_CREAT | O_RDWR, 0600);
    if (fd < 0 || syscall(SYS_ftruncate, fd, 4096) < 0)
        return 3;
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED)
        return 4;
    atomic_store(&counts[8], 1);
    pthread_t second;
    pthread_create(&second, NULL, work, (void *)1);
    work(NULL);
    return 0;
}
