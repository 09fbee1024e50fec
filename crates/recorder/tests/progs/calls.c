/* Loops over most POSIX calls on files, plain and through threads, for the comparison with strace. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void *more(void *directory)
{
    char path[512];
    snprintf(path, sizeof path, "%s/thread", (char *)directory);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    for (int i = 0; i < 200; i++)
        if (write(fd, path, 1 + i % 7) < 0)
            return NULL;
    close(fd);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1]) != 0)
        return 2;
    char buffer[8192];
    struct stat info;
    memset(buffer, 'x', sizeof buffer);
    pthread_t thread;
    pthread_create(&thread, NULL, more, argv[1]);
    for (int file = 0; file < 5; file++) {
        char path[64], other[64];
        snprintf(path, sizeof path, "out.%04d", file);
        snprintf(other, sizeof other, "./moved.%04d", file);
        int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0644);
        for (int i = 0; i < 20 + file; i++) {
            pwrite(fd, buffer, 100, i * 1000L);
            if (i % 3 == 0)
                pread(fd, buffer, 50, i * 10L);
        }
        lseek(fd, 0, SEEK_SET);
        while (read(fd, buffer, 4096) > 0)
            ;
        struct iovec pieces[3] = {{buffer, 10}, {buffer, 20}, {buffer, 30}};
        writev(fd, pieces, 3);
        preadv(fd, pieces, 2, 5);
        int copy = dup(fd);
        write(copy, buffer, 11);
        fsync(fd);
        fdatasync(copy);
        ftruncate(fd, 5000);
        fstat(fd, &info);
        close(copy);
        int to = openat(AT_FDCWD, "sent", O_CREAT | O_WRONLY | O_APPEND, 0600);
        off_t at = 0;
        sendfile(to, fd, &at, 1000);
        copy_file_range(fd, NULL, to, NULL, 10, 0);
        close(to);
        void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        msync(map, 4096, MS_SYNC);
        munmap(map, 4096);
        close(fd);
        stat(path, &info);
        access(path, R_OK);
        rename(path, other);
        chmod(other, 0600);
        truncate(other, 10);
        mkdir("directory", 0700);
        rmdir("directory");
        symlink("nowhere", "link");
        readlink("link", buffer, 100);
        unlink("link");
        unlink(other);
        open("missing", O_RDONLY);
    }
    pthread_join(thread, NULL);
    return 0;
}
