/* Threads that write, fork, vfork, spawn and end at the same time, and a process that leaves in the
 * way its argument says: return, exit, _exit, abort, kill. Prints a line that must not change. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *directory;
static int failures;

static void fail(void)
{
    __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

static void write_some(const char *tag, long id)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%ld", directory, tag, id);
    int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    if (fd < 0)
        return fail();
    for (int i = 0; i < 50; i++)
        if (write(fd, path, 10) != 10)
            fail();
    int copy = dup(fd);
    if (copy < 0 || lseek(copy, 0, SEEK_END) != 500)
        fail();
    close(copy);
    close(fd);
    errno = 0;
    if (close(-1) != -1 || errno != EBADF)
        fail();
    struct stat info;
    if (stat(path, &info) != 0 || info.st_size != 500)
        fail();
    errno = 0;
    if (open("/nonexistent/x", O_RDONLY) != -1 || errno != ENOENT)
        fail();
    unlink(path);
}

static void *work(void *which)
{
    long id = (long)which;
    int status;
    write_some("thread", id);
    pid_t child = fork();
    if (child == 0) {
        write_some("child", getpid());
        _exit(7);
    }
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
        fail();
    child = vfork();
    if (child == 0) {
        close(0);
        dup2(1, 0);
        execl("/bin/true", "true", (char *)NULL);
        _exit(9);
    }
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 0)
        fail();
    char *arguments[] = {"true", NULL};
    if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 0)
        fail();
    FILE *stream = tmpfile();
    if (stream == NULL || fprintf(stream, "%ld\n", id) < 2 || fclose(stream) != 0)
        fail();
    return NULL;
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *all = opendir("/proc/self/fd");
    while (all != NULL && readdir(all) != NULL)
        count++;
    if (all != NULL)
        closedir(all);
    return count;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    directory = argv[1];
    long threads = atol(argv[2]);
    pthread_t all[64];
    for (long i = 0; i < threads && i < 64; i++)
        pthread_create(&all[i], NULL, work, (void *)i);
    for (long i = 0; i < threads && i < 64; i++)
        pthread_join(all[i], NULL);
    printf("failures %d descriptors %d\n", failures, open_descriptors());
    fflush(stdout);
    if (strcmp(argv[3], "_exit") == 0)
        _exit(5);
    if (strcmp(argv[3], "exit") == 0)
        exit(5);
    if (strcmp(argv[3], "abort") == 0)
        abort();
    if (strcmp(argv[3], "kill") == 0)
        kill(getpid(), SIGKILL);
    return 5;
}
