// Requests of the kernel, through libaio and through syscall().
// Expected records: aio_write 8 + 100, aio_read 8 + 1, aio_fsync 1, aio_return as many.
#define _GNU_SOURCE
#include <fcntl.h>
#include <libaio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char data[100][512];

static long drain(io_context_t context, int count) {
  struct io_event events[128];
  long sum = 0;
  while (count > 0) {
    int got = io_getevents(context, 1, 128, events, NULL);
    if (got < 0) return got;
    for (int at = 0; at < got; at++) sum += (long)events[at].res;
    count -= got;
  }
  return sum;
}

int main(int count, char **args) {
  int fd = open(count > 1 ? args[1] : "libaio.dat", O_RDWR | O_CREAT | O_TRUNC, 0644);
  io_context_t context = 0;
  if (fd < 0 || io_setup(128, &context)) return 1;
  struct iocb blocks[100], *list[100];
  for (int at = 0; at < 8; at++) io_prep_pwrite(list[at] = &blocks[at], fd, data[at], 512, 512 * at);
  int put = io_submit(context, 8, list);
  printf("submit %d moved %ld\n", put, drain(context, put));
  struct iovec two[8][2];
  for (int at = 0; at < 8; at++) {
    two[at][0] = (struct iovec){data[at], 100};
    two[at][1] = (struct iovec){data[at] + 100, 156};
    io_prep_preadv(list[at] = &blocks[at], fd, two[at], 2, 512 * at);
  }
  put = io_submit(context, 8, list);
  printf("submit %d moved %ld\n", put, drain(context, put));
  // More than fit on the stack.
  for (int at = 0; at < 100; at++) io_prep_pwrite(list[at] = &blocks[at], fd, data[at], 512, 512 * at);
  put = io_submit(context, 100, list);
  printf("submit %d moved %ld\n", put, drain(context, put));
  io_prep_fsync(list[0] = &blocks[0], fd);
  put = io_submit(context, 1, list);
  printf("submit %d moved %ld\n", put, drain(context, put));
  // An error: the second is not accepted.
  io_prep_pread(list[0] = &blocks[0], fd, data[0], 512, 0);
  io_prep_pread(list[1] = &blocks[1], -1, data[1], 512, 0);
  long raw = syscall(SYS_io_submit, context, 2L, list);
  struct io_event event;
  long got = syscall(SYS_io_getevents, context, 1L, 1L, &event, NULL);
  printf("raw %ld %ld moved %ld\n", raw, got, (long)event.res);
  io_destroy(context);
  close(fd);
  return 0;
}
