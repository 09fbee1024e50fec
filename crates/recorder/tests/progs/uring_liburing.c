// A ring through liburing: reads, writes, vectors, registered files, opening and closing, wide entries.
// Expected records: io_uring_write 8 + 1 (vector) + 2 (registered), io_uring_read 8 + 1 (opened in the ring)
// + 4 (wide), io_uring_fsync 1, io_uring_other of 3 nops, completions of all.
#define _GNU_SOURCE
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char data[16][4096];
static unsigned long mark = 1;

static long drain(struct io_uring *ring, int count) {
  long sum = 0;
  while (count-- > 0) {
    struct io_uring_cqe *found;
    if (io_uring_wait_cqe(ring, &found)) return -1;
    sum += found->res;
    io_uring_cqe_seen(ring, found);
  }
  return sum;
}

static struct io_uring_sqe *next(struct io_uring *ring) { return io_uring_get_sqe(ring); }
static void label(struct io_uring_sqe *entry) { io_uring_sqe_set_data64(entry, mark++); }

int main(int count, char **args) {
  const char *name = count > 1 ? args[1] : "uring.dat";
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  struct io_uring ring;
  if (fd < 0 || io_uring_queue_init(16, &ring, 0)) return 1;
  struct io_uring_sqe *entry;
  for (int at = 0; at < 8; at++) {
    entry = next(&ring);
    io_uring_prep_write(entry, fd, data[at], 4096, 4096 * at);
    label(entry);
  }
  int put = io_uring_submit(&ring);
  printf("submit %d moved %ld\n", put, drain(&ring, put));
  for (int at = 0; at < 8; at++) {
    entry = next(&ring);
    io_uring_prep_read(entry, fd, data[at], 2048, 4096 * at);
    label(entry);
  }
  put = io_uring_submit_and_wait(&ring, 8);
  printf("submit %d moved %ld\n", put, drain(&ring, put));
  struct iovec two[2] = {{data[0], 100}, {data[1], 200}};
  entry = next(&ring);
  io_uring_prep_writev(entry, fd, two, 2, 8192);
  label(entry);
  entry = next(&ring);
  io_uring_prep_fsync(entry, fd, IORING_FSYNC_DATASYNC);
  label(entry);
  for (int at = 0; at < 3; at++) {
    entry = next(&ring);
    io_uring_prep_nop(entry);
    label(entry);
  }
  put = io_uring_submit(&ring);
  printf("submit %d moved %ld\n", put, drain(&ring, put));
  int files[3] = {-1, fd, 0};
  printf("register %d\n", io_uring_register_files(&ring, files, 2));
  for (int at = 0; at < 2; at++) {
    entry = next(&ring);
    io_uring_prep_write(entry, 1, data[at], 1024, 1024 * at);
    entry->flags |= IOSQE_FIXED_FILE;
    label(entry);
  }
  put = io_uring_submit(&ring);
  printf("submit %d moved %ld\n", put, drain(&ring, put));
  entry = next(&ring);
  io_uring_prep_openat(entry, AT_FDCWD, name, O_RDONLY, 0);
  label(entry);
  io_uring_submit(&ring);
  struct io_uring_cqe *found;
  if (io_uring_wait_cqe(&ring, &found)) return 2;
  int other = found->res;
  io_uring_cqe_seen(&ring, found);
  entry = next(&ring);
  io_uring_prep_read(entry, other, data[0], 512, 0);
  label(entry);
  put = io_uring_submit(&ring);
  printf("opened %d moved %ld\n", other >= 0, drain(&ring, put));
  entry = next(&ring);
  io_uring_prep_close(entry, other);
  label(entry);
  put = io_uring_submit(&ring);
  printf("closed %ld\n", drain(&ring, put));
  io_uring_queue_exit(&ring);
  struct io_uring wide;
  if (io_uring_queue_init(4, &wide, IORING_SETUP_SQE128 | IORING_SETUP_CQE32)) return 3;
  for (int at = 0; at < 4; at++) {
    entry = io_uring_get_sqe(&wide);
    io_uring_prep_read(entry, fd, data[at], 256, 256 * at);
    label(entry);
  }
  put = io_uring_submit(&wide);
  printf("wide %d moved %ld\n", put, drain(&wide, put));
  io_uring_queue_exit(&wide);
  close(fd);
  return 0;
}
