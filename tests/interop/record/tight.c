/* Programs at the edge of what they are allowed, one per word on the command line: small stacks, few
 * descriptors, a limit on file sizes, little room, closed descriptors, signals, cancellation. Each prints
 * what it saw; nothing of it may change when somebody watches. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static void say(const char *text)
{
    if (write(1, text, strlen(text)) < 0)
        _exit(99);
}

static int file(const char *name)
{
    return open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
}

static void *small(void *name)
{
    int fd = file(name);
    for (int i = 0; i < 5000; i++)
        if (pwrite(fd, "0123456789", 10, i * 10L) != 10)
            say("write failed\n");
    struct stat info;
    stat(name, &info);
    close(fd);
    rename(name, "renamed");
    unlink("renamed");
    return info.st_size == 50000 ? name : NULL;
}

/* The smallest stack a thread may have. */
static void small_stack(int used_before)
{
    if (used_before)
        close(file("before"));
    pthread_attr_t attributes;
    pthread_t thread;
    void *result = NULL;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    if (pthread_create(&thread, &attributes, small, "small"))
        say("no thread\n");
    pthread_join(thread, &result);
    say(result ? "small stack: all written\n" : "small stack: failed\n");
}

static volatile sig_atomic_t handled;
static int handler_fd;
static void on_signal(int number)
{
    (void)number;
    int error = errno;
    if (write(handler_fd, "s", 1) == 1)
        handled++;
    errno = error;
}

/* A stack with a page below it that nobody may touch, so that what is too deep is seen. */
static char *guarded(size_t size)
{
    size = (size + 4095) / 4096 * 4096;
    char *at = mmap(NULL, size + 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(at + 65536, size, PROT_READ | PROT_WRITE);
    return at + 65536;
}

/* A handler on a stack of its own; the least there may be has room for the frame and 1 KiB. */
static void alternate(size_t size, int used_before)
{
    char *room = guarded(size);
    size_t slack = (4096 - size % 4096) % 4096;
    stack_t stack = {.ss_sp = room + slack, .ss_size = size};
    handler_fd = file("handler");
    if (used_before)
        for (int i = 0; i < 3; i++)
            if (write(handler_fd, "b", 1) != 1)
                say("failed\n");
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL))
        say("no alternate stack\n");
    for (int i = 0; i < 10000; i++)
        raise(SIGUSR1);
    printf("alternate stack: %d handled\n", (int)handled);
}

/* Signals that interrupt everything, at a high rate, and a handler that writes. */
static void storm(void)
{
    handler_fd = file("storm.handler");
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {{0, 50}, {0, 50}};
    setitimer(ITIMER_REAL, &timer, NULL);
    int fd = file("storm");
    long bad = 0;
    for (int i = 0; i < 200000; i++)
        bad += pwrite(fd, "0123456789", 10, i * 10L) != 10;
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    struct stat info, own;
    fstat(fd, &info);
    fstat(handler_fd, &own);
    printf("storm: %ld bad, %ld bytes, handler %s\n", bad, (long)info.st_size, own.st_size == handled && handled > 0 ? "as counted" : "wrong");
    ftruncate(handler_fd, 0);
}

static sigjmp_buf back;
static void jump(int number)
{
    siglongjmp(back, number);
}

/* Jumps out of calls from a handler; what comes after must still be written and recorded. */
static void jumps(void)
{
    struct sigaction action = {.sa_handler = jump};
    sigaction(SIGALRM, &action, NULL);
    int fd = file("jumps"), pipes[2];
    volatile long done = 0;
    if (pipe(pipes))
        return;
    for (volatile int i = 0; i < 200; i++) {
        struct itimerval timer = {{0, 0}, {0, 200}};
        if (sigsetjmp(back, 1) == 0) {
            setitimer(ITIMER_REAL, &timer, NULL);
            for (;;)
                done += pwrite(fd, "0123456789", 10, 0) == 10;
        }
    }
    int last = file("jumps.after");
    for (int i = 0; i < 100; i++)
        if (write(last, "0123456789", 10) != 10)
            say("failed\n");
    close(last);
    say(done > 0 ? "jumps: done\n" : "jumps: nothing\n");
}

static void cleaned(void *argument)
{
    say(argument);
}

static int ends[2];
static void *blocked(void *argument)
{
    char byte;
    pthread_cleanup_push(cleaned, "cleaned up\n");
    int fd = argument ? open(argument, O_RDONLY) : ends[0];
    say(read(fd, &byte, 1) < 0 ? "read failed\n" : "read returned\n");
    pthread_cleanup_pop(0);
    return NULL;
}

/* Cancels a thread that waits in read: of a pipe, and of a named one, whose open waits. */
static void cancel(void)
{
    pthread_t thread;
    void *result;
    if (pipe(ends) || mkfifo("fifo", 0600))
        return;
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, blocked, i ? "fifo" : NULL);
        usleep(100000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        say(result == PTHREAD_CANCELED ? "cancelled\n" : "not cancelled\n");
    }
    int fd = file("after");
    say(write(fd, "x", 1) == 1 ? "goes on\n" : "stuck\n");
    unlink("fifo");
}

static volatile int stop;
static void *writer(void *name)
{
    pthread_cleanup_push(cleaned, "cleaned up\n");
    int fd = file(name);
    while (!stop)
        if (write(fd, "0123456789", 10) != 10)
            say("failed\n");
    pthread_cleanup_pop(0);
    return NULL;
}

/* Cancels threads that write regular files: any call is a place to be cancelled at. */
static void cancel_writers(void)
{
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, writer, "cancelled");
        usleep(2000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED)
            say("not cancelled\n");
    }
    unlink("cancelled");
    say("writers cancelled\n");
}

/* All descriptors there are. */
static void descriptors(int used_before)
{
    struct rlimit limit = {64, 64};
    setrlimit(RLIMIT_NOFILE, &limit);
    if (used_before)
        close(file("fds"));
    int opened = 0, fd, last = -1;
    while ((fd = file("fds")) >= 0) {
        opened++;
        last = fd;
    }
    printf("descriptors: %d opened, last %d, %s\n", opened, last, strerror(errno));
    long written = 0;
    for (int i = 0; i < 20000; i++)
        written += pwrite(last, "x", 1, i) == 1;
    printf("descriptors: %ld written\n", written);
    for (fd = 3; fd <= last; fd++)
        close(fd);
    fd = file("fds2");
    printf("descriptors: lowest is %d\n", fd);
}

/* A limit on the size of files, of which only the program's own count. */
static void sizes(long limit)
{
    struct rlimit sizes = {limit, limit};
    setrlimit(RLIMIT_FSIZE, &sizes);
    int fd = file("limited");
    unsigned long state = 1, bad = 0;
    for (int i = 0; i < 60000; i++) {
        state = state * 6364136223846793005ul + 1;
        bad += pwrite(fd, "0123456789", 1 + (state >> 60) % 10, (state >> 33) % 1000) < 1;
    }
    printf("sizes: %lu failed\n", bad);
}

/* errno after calls that succeed and calls that fail, on paths and descriptors. */
#define TRY(call)                                                                                        \
    do {                                                                                                 \
        errno = 1234;                                                                                    \
        long result = (long)(call);                                                                      \
        printf("%s: %s, errno %d\n", #call, result == -1 ? "-1" : "ok", errno);                          \
    } while (0)
static void errors(void)
{
    char text[100];
    struct stat info;
    struct iovec vector = {text, 10};
    int fd;
    TRY(fd = file("errors"));
    TRY(write(fd, "0123456789", 10));
    TRY(pwrite(fd, "0123456789", 10, 100));
    TRY(lseek(fd, 0, SEEK_SET));
    TRY(read(fd, text, 10));
    TRY(pread(fd, text, 10, 50));
    TRY(readv(fd, &vector, 1));
    TRY(writev(fd, &vector, 1));
    TRY(fsync(fd));
    TRY(ftruncate(fd, 5));
    TRY(fstat(fd, &info));
    TRY(stat("errors", &info));
    TRY(stat("not there", &info));
    TRY(stat("/not there", &info));
    TRY(lstat("errors", &info));
    TRY(access("errors", R_OK));
    TRY(access("not there", R_OK));
    TRY(open("not there", O_RDONLY));
    TRY(open("/dev/null", O_RDONLY));
    TRY(open(NULL, O_RDONLY));
    TRY(stat(NULL, &info));
    TRY(write(fd, (void *)1, 10));
    TRY(read(fd, (void *)1, 10));
    TRY(write(1000, "x", 1));
    TRY(lseek(fd, -5, SEEK_SET));
    TRY(mkdir("made", 0700));
    TRY(mkdir("made", 0700));
    TRY(rmdir("made"));
    TRY(rmdir("made"));
    TRY(rename("not there", "x"));
    TRY(unlink("not there"));
    TRY(close(fd));
    TRY(close(fd));
    TRY(close(-1));
    FILE *stream;
    errno = 1234;
    stream = fopen("not there", "r");
    printf("fopen: %p errno %d\n", (void *)stream, errno);
    errno = 1234;
    stream = fopen("errors", "w+");
    printf("fopen: %d errno %d\n", stream != NULL, errno);
    TRY(fprintf(stream, "%d %s\n", 12, "words"));
    TRY(fputs("some", stream));
    TRY(fseek(stream, 0, SEEK_SET));
    TRY(fgetc(stream));
    TRY(fread(text, 1, 3, stream));
    TRY(fflush(stream));
    TRY(ftell(stream));
    TRY(fscanf(stream, "%99s", text));
    TRY(fgets(text, 50, stream) ? 1 : 0);
    TRY(fgets(text, 50, stream) ? 1 : 0);
    TRY(fclose(stream));
    errno = 1234;
    DIR *directory = opendir("not there");
    printf("opendir: %p errno %d\n", (void *)directory, errno);
    errno = 1234;
    directory = opendir(".");
    printf("opendir: %d errno %d\n", directory != NULL, errno);
    errno = 1234;
    while (readdir(directory))
        ;
    printf("readdir: errno %d\n", errno);
    TRY(closedir(directory));
    TRY(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 1000, 0));
}

/* A stack of its own, as coroutines have: 16 KiB. */
static ucontext_t home, away;
static void coroutine(void)
{
    small("coroutine");
}
static void coroutines(void)
{
    getcontext(&away);
    away.uc_stack.ss_sp = guarded(16384);
    away.uc_stack.ss_size = 16384;
    away.uc_link = &home;
    makecontext(&away, coroutine, 0);
    swapcontext(&home, &away);
    say("coroutine: done\n");
}

/* A child by the bare system call, without handlers, while threads write. */
static void clones(void)
{
    pthread_t threads[4];
    char names[4][16];
    for (int i = 0; i < 4; i++) {
        sprintf(names[i], "clone%d", i);
        pthread_create(&threads[i], NULL, writer, names[i]);
    }
    int bad = 0;
    for (int i = 0; i < 100; i++) {
        pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0) {
            int fd = open("clone.child", O_CREAT | O_RDWR, 0600);
            syscall(SYS_exit_group, write(fd, "x", 1) == 1 ? 5 : 6);
        }
        int status;
        waitpid(child, &status, 0);
        bad += !WIFEXITED(status) || WEXITSTATUS(status) != 5;
    }
    stop = 1;
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        unlink(names[i]);
    }
    printf("clones: %d bad\n", bad);
}

/* The working directory goes away, the root changes, rights are given up. */
static void elsewhere(void)
{
    int fd = file("elsewhere");
    mkdir("gone", 0700);
    if (chdir("gone") || rmdir("../gone"))
        say("failed\n");
    errno = 0;
    int none = open("x", O_CREAT | O_RDWR, 0600);
    printf("elsewhere: %d errno %d\n", none, errno);
    if (chroot("/proc/self/fdinfo") == 0)
        say("in another root\n");
    long bad = 0;
    for (int i = 0; i < 50000; i++)
        bad += pwrite(fd, "0123456789", 10, (i * 7919) % 5000) != 10;
    if (setuid(65534))
        say("still root\n");
    for (int i = 0; i < 50000; i++)
        bad += pwrite(fd, "0123456789", 10, (i * 7919) % 5000) != 10;
    pid_t child = fork();
    if (child == 0)
        _exit(pwrite(fd, "x", 1, 0) == 1 ? 3 : 4);
    int status;
    waitpid(child, &status, 0);
    printf("elsewhere: %ld bad, child %d\n", bad, WEXITSTATUS(status));
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    if (!strcmp(what, "small-stack")) small_stack(0);
    if (!strcmp(what, "small-stack-after")) small_stack(1);
    if (!strcmp(what, "alternate")) alternate(8192, 0);
    if (!strcmp(what, "alternate-after")) alternate(8192, 1);
    if (!strcmp(what, "alternate-least")) alternate(sysconf(_SC_MINSIGSTKSZ) + 1024, 1);
    if (!strcmp(what, "storm")) storm();
    if (!strcmp(what, "jumps")) jumps();
    if (!strcmp(what, "cancel")) cancel();
    if (!strcmp(what, "cancel-writers")) cancel_writers();
    if (!strcmp(what, "descriptors")) descriptors(0);
    if (!strcmp(what, "descriptors-after")) descriptors(1);
    if (!strcmp(what, "sizes")) sizes(4000);
    if (!strcmp(what, "sizes-100k")) sizes(100000);
    if (!strcmp(what, "errors")) errors();
    if (!strcmp(what, "coroutines")) coroutines();
    if (!strcmp(what, "clones")) clones();
    if (!strcmp(what, "elsewhere")) elsewhere();
    return 0;
}
