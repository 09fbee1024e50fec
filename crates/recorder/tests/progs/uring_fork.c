// Rings and their memory in children and threads: a child has none of its parent's rings, whose memory
// may not even be there; threads make and give back rings while others close files.
// Expected records: io_uring_write 4 * 50 * 4 by the threads, 1 by the parent; none by the children.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name;
static char data[4096];

static void put(struct io_uring *ring, int fd) {
  struct io_uring_sqe *entry = io_uring_get_sqe(ring);
  struct io_uring_cqe *found;
  io_uring_prep_write(entry, fd, data, 4096, 0);
  io_uring_submit(ring);
  int ret;
  do ret = io_uring_wait_cqe(ring, &found);
  while (ret == -EINTR);
  if (ret || found->res != 4096) puts("wrong");
  io_uring_cqe_seen(ring, found);
}

static void *work(void *none) {
  (void)none;
  for (int turn = 0; turn < 50; turn++) {
    struct io_uring ring;
    int fd = open(name, O_WRONLY);
    if (io_uring_queue_init(4, &ring, 0)) return NULL;
    for (int n = 0; n < 4; n++) put(&ring, fd);
    close(fd);
    io_uring_queue_exit(&ring);
  }
  return NULL;
}

int main(int count, char **args) {
  name = count > 1 ? args[1] : "fork.dat";
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644), status;
  struct io_uring ring;
  if (fd < 0 || io_uring_queue_init(4, &ring, 0)) return 1;
  io_uring_ring_dontfork(&ring);
  put(&ring, fd);
  pid_t child = fork();
  if (child == 0) {
    close(fd);
    exit(0);
  }
  waitpid(child, &status, 0);
  printf("child %d\n", status);
  pthread_t threads[4];
  for (int n = 0; n < 4; n++) pthread_create(&threads[n], NULL, work, NULL);
  printf("true %d\n", system("true"));
  for (int n = 0; n < 4; n++) pthread_join(threads[n], NULL);
  printf("done\n");
  exit(0);
}
