// Requests of the C library: single ones, a list, a write-back, one that fails.
// Prints what it moved; expected records: aio_read 3, aio_write 6 (one fails), aio_fsync 1, aio_return 10.
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char data[8][4096];

static long finish(struct aiocb *block) {
  const struct aiocb *list[] = {block};
  while (aio_error(block) == EINPROGRESS) aio_suspend(list, 1, NULL);
  int error = aio_error(block);
  long ret = aio_return(block);
  return ret < 0 ? -error : ret;
}

int main(int count, char **args) {
  int fd = open(count > 1 ? args[1] : "aio.dat", O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) return 1;
  struct aiocb one = {.aio_fildes = fd, .aio_buf = data[0], .aio_nbytes = 4096};
  if (aio_write(&one)) return 2;
  printf("write %ld\n", finish(&one));
  struct aiocb blocks[4], *list[5];
  memset(blocks, 0, sizeof blocks);
  for (int at = 0; at < 4; at++) {
    blocks[at] = (struct aiocb){.aio_fildes = fd, .aio_buf = data[at], .aio_nbytes = 1000 + at, .aio_offset = 4096 * at, .aio_lio_opcode = LIO_WRITE};
    list[at] = &blocks[at];
  }
  list[4] = NULL;
  if (lio_listio(LIO_WAIT, list, 5, NULL)) return 3;
  for (int at = 0; at < 4; at++) printf("list %ld\n", finish(list[at]));
  struct aiocb sync = {.aio_fildes = fd};
  if (aio_fsync(O_DSYNC, &sync)) return 4;
  printf("sync %ld\n", finish(&sync));
  for (int at = 0; at < 3; at++) {
    struct aiocb64 in = {.aio_fildes = fd, .aio_buf = data[at], .aio_nbytes = 4096, .aio_offset = 4096 * at};
    if (aio_read64(&in)) return 5;
    printf("read %ld\n", finish((struct aiocb *)&in));
  }
  int closed = open(count > 1 ? args[1] : "aio.dat", O_RDONLY);
  struct aiocb bad = {.aio_fildes = closed, .aio_buf = data[0], .aio_nbytes = 10};
  if (aio_write(&bad)) return 6;
  printf("bad %ld\n", finish(&bad));
  close(closed);
  close(fd);
  return 0;
}
