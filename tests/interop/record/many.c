/* 1500 threads at once, each with a file: FOLDER. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#define MANY 1500
static pthread_barrier_t all;
static const char *folder;
static void *work(void *which)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%ld", folder, (long)which);
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    pthread_barrier_wait(&all);
    for (int i = 0; i < 100; i++)
        if (write(fd, "x", 1) != 1)
            puts("failed");
    pthread_barrier_wait(&all);
    close(fd);
    return NULL;
}
int main(int count, char **words)
{
    static pthread_t threads[MANY];
    pthread_attr_t attributes;
    folder = count > 1 ? words[1] : ".";
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    pthread_barrier_init(&all, NULL, MANY);
    for (long i = 0; i < MANY; i++)
        if (pthread_create(&threads[i], &attributes, work, (void *)i))
            return 1;
    for (long i = 0; i < MANY; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
