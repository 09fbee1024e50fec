/* A bit of everything that a replay performs, below the folder that is given; in.dat must be there. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char path[4096], other[4096], bytes[70000];
static const char *folder;

static const char *in(char *room, const char *name) {
    snprintf(room, 4096, "%s/%s", folder, name);
    return room;
}

static void read_input(void) {
    int fd = open(in(path, "in.dat"), O_RDONLY);
    while (read(fd, bytes, 4096) > 0) {
    }
    lseek(fd, 10, SEEK_SET);
    read(fd, bytes, 100);
    close(fd);
}

static void fail(void) {
    struct stat st;
    mkdir(in(path, "sub"), 0755);
    mkdir(path, 0755);
    open(in(path, "sub/missing"), O_RDONLY);
    access(path, R_OK);
    stat(path, &st);
    open(in(path, "nowhere/missing"), O_WRONLY | O_CREAT, 0600);
}

static void write_files(void) {
    struct stat st;
    struct iovec vectors[3] = {{bytes, 10}, {bytes, 10}, {bytes, 11}};
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "sub/out.%03d", i);
        int fd = open(in(path, name), O_CREAT | O_RDWR | O_TRUNC, 0644);
        write(fd, bytes, 1000);
        pwrite(fd, bytes, 65536, 100000L * i);
        writev(fd, vectors, 3);
        pwritev(fd, vectors, 2, 5000);
        preadv(fd, vectors, 3, 0);
        ftruncate(fd, 300000);
        fsync(fd);
        fstat(fd, &st);
        pread(fd, bytes, sizeof bytes, 299000);
        int copy = dup(fd);
        write(copy, bytes, 5);
        close(copy);
        close(fd);
    }
    rename(path, in(other, "sub/renamed"));
    stat(other, &st);
    truncate(other, 77);
    unlink(other);
}

static void streams(void) {
    FILE *file = fopen(in(path, "text.txt"), "w");
    for (int i = 0; i < 100; i++)
        fprintf(file, "line %d\n", i);
    fputs("hello\n", file);
    fputc('x', file);
    fwrite(bytes, 8, 100, file);
    fflush(file);
    fseek(file, 0, SEEK_SET);
    fwrite(bytes, 1, 3, file);
    fclose(file);
    file = fopen(path, "r");
    fread(bytes, 1, 100, file);
    fgetc(file);
    fseek(file, -10, SEEK_END);
    fread(bytes, 4, 10, file);
    rewind(file);
    fclose(file);
    file = fopen(path, "a+");
    fputs("more", file);
    fclose(file);
    fopen(in(path, "nowhere/at/all"), "r");
    printf("done\n");
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    folder = argv[1];
    memset(bytes, 7, sizeof bytes);
    read_input();
    fail();
    write_files();
    streams();
    DIR *open_folder = opendir(in(path, "sub"));
    while (readdir(open_folder)) {
    }
    closedir(open_folder);
    return 0;
}
