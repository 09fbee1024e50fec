/* A little of everything, for tools that watch memory. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static void *work(void *name)
{
    char text[100] = "text of a hundred bytes";
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < 6000; i++)
        if (write(fd, text, sizeof text) != sizeof text)
            exit(2);
    lseek(fd, 0, SEEK_SET);
    for (int i = 0; i < 100; i++)
        if (pread(fd, text, sizeof text, i * 100) != sizeof text)
            exit(3);
    close(fd);
    struct stat info;
    stat(name, &info);
    rename(name, "valgrind.moved");
    unlink("valgrind.moved");
    return NULL;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, "valgrind.1");
    pthread_join(thread, NULL);
    work("valgrind.2");
    FILE *stream = fopen("valgrind.3", "w+");
    fprintf(stream, "%d %s\n", 12, "words");
    rewind(stream);
    char text[100];
    if (!fgets(text, sizeof text, stream))
        return 4;
    fclose(stream);
    DIR *directory = opendir(".");
    while (readdir(directory))
        ;
    closedir(directory);
    pid_t child = fork();
    if (child == 0) {
        work("valgrind.4");
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
