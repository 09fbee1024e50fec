// A ring without the library: argument 2 "asm" enters it by an instruction of the program's own, else
// by syscall(). Expected records: io_uring_setup 1, and 64 writes of 4096 bytes: all of them as
// io_uring_write, or with "asm" the last 8 so and the rest in io_uring_other; with "exit" as third
// argument nothing is given back before the end.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static char data[4096];

static long enter_asm(int fd, unsigned submit, unsigned least, unsigned flags) {
  register long r10 __asm__("r10") = flags, r8 __asm__("r8") = 0, r9 __asm__("r9") = 0;
  long ret;
  __asm__ volatile("syscall" : "=a"(ret) : "a"(426L), "D"((long)fd), "S"((long)submit), "d"((long)least), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return ret;
}

int main(int count, char **args) {
  const char *name = count > 1 ? args[1] : "raw.dat";
  int own = count > 2 && !strcmp(args[2], "asm");
  int fd = syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  struct io_uring_params p = {0};
  int ring = syscall(SYS_io_uring_setup, 8, &p);
  if (fd < 0 || ring < 0) return 1;
  size_t size = p.sq_off.array + p.sq_entries * 4, cq = p.cq_off.cqes + p.cq_entries * 16;
  if (cq > size) size = cq;
  char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
  struct io_uring_sqe *entries = mmap(NULL, p.sq_entries * 64, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
  if (at == MAP_FAILED || (void *)entries == MAP_FAILED) return 2;
  unsigned *tail = (unsigned *)(at + p.sq_off.tail), *mask = (unsigned *)(at + p.sq_off.ring_mask), *array = (unsigned *)(at + p.sq_off.array);
  unsigned *done = (unsigned *)(at + p.cq_off.tail), *head = (unsigned *)(at + p.cq_off.head), *cmask = (unsigned *)(at + p.cq_off.ring_mask);
  struct io_uring_cqe *found = (struct io_uring_cqe *)(at + p.cq_off.cqes);
  long moved = 0;
  for (int turn = 0; turn < 8; turn++) {
    for (int n = 0; n < 8; n++) {
      unsigned place = *tail & *mask;
      struct io_uring_sqe *entry = &entries[7 - place];
      memset(entry, 0, sizeof *entry);
      entry->opcode = IORING_OP_WRITE;
      entry->fd = fd;
      entry->addr = (unsigned long)data;
      entry->len = 4096;
      entry->off = 4096L * (turn * 8 + n);
      entry->user_data = turn * 8 + n;
      array[place] = 7 - place;
      __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    }
    long ret = own ? enter_asm(ring, 8, 8, IORING_ENTER_GETEVENTS) : syscall(SYS_io_uring_enter, ring, 8, 8, IORING_ENTER_GETEVENTS, NULL, 0);
    if (ret != 8) printf("entered %ld\n", ret);
    while (*head != __atomic_load_n(done, __ATOMIC_ACQUIRE)) {
      moved += found[*head & *cmask].res;
      __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    }
  }
  printf("moved %ld\n", moved);
  fflush(stdout);
  if (count > 3) return 0;
  syscall(SYS_close, fd);
  munmap(entries, p.sq_entries * 64);
  munmap(at, size);
  close(ring);
  return 0;
}
