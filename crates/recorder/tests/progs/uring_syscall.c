// System calls by number: results, errors and the sixth argument pass through unchanged.
// Expected records: open 3 (one fails), write, pread 2 (one fails), pwritev2, fsync, statx, copy_file_range, rename, getdents64,
// unlink, close 2.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int count, char **args) {
  char name[4096], other[4096], buffer[4096];
  snprintf(name, sizeof name, "%s/a", count > 1 ? args[1] : ".");
  snprintf(other, sizeof other, "%s/b", count > 1 ? args[1] : ".");
  struct open_how how = {.flags = O_RDWR | O_CREAT | O_TRUNC, .mode = 0644};
  long fd = syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof how);
  errno = 0;
  printf("open %d\n", fd >= 0);
  printf("missing %ld %d\n", syscall(SYS_openat, AT_FDCWD, "/tmp/there/is/none", O_RDONLY, 0), errno);
  printf("write %ld\n", syscall(SYS_write, fd, "hello, world", 12L));
  printf("pread %ld %.5s\n", syscall(SYS_pread64, fd, buffer, 5L, 7L), buffer);
  errno = 0;
  long ret = syscall(SYS_pread64, fd, buffer, 5L, -7L);
  printf("pread %ld %d\n", ret, errno);
  struct iovec two[2] = {{"ab", 2}, {"cde", 3}};
  printf("pwritev2 %ld\n", syscall(SYS_pwritev2, fd, two, 2L, 100L, 0L, 0L));
  printf("fsync %ld\n", syscall(SYS_fsync, fd));
  struct statx about;
  printf("statx %ld %llu\n", syscall(SYS_statx, AT_FDCWD, name, 0, STATX_SIZE, &about), about.stx_size);
  long to = syscall(SYS_openat, AT_FDCWD, other, O_RDWR | O_CREAT | O_TRUNC, 0600);
  loff_t zero = 0, there = 0;
  printf("copy %ld\n", syscall(SYS_copy_file_range, fd, &zero, to, &there, 12L, 0L));
  void *map = (void *)syscall(SYS_mmap, NULL, 4096L, PROT_READ, MAP_SHARED, fd, 0L);
  printf("mmap %.5s\n", (char *)map);
  printf("munmap %ld\n", syscall(SYS_munmap, map, 4096L));
  printf("pid %d tid %d\n", syscall(SYS_getpid) == getpid(), syscall(SYS_gettid) == gettid());
  errno = 0;
  ret = syscall(100000);
  printf("none %ld %d\n", ret, errno);
  errno = 0;
  ret = syscall(SYS_close, 12345);
  printf("close %ld %d\n", ret, errno);
  long child = syscall(SYS_fork);
  if (child == 0) syscall(SYS_exit_group, 0);
  printf("wait %d\n", syscall(SYS_wait4, child, NULL, 0, NULL) == child);
  syscall(SYS_close, fd);
  syscall(SYS_close, to);
  printf("rename %ld\n", syscall(SYS_renameat2, AT_FDCWD, other, AT_FDCWD, name, 0));
  printf("unlink %ld\n", syscall(SYS_unlinkat, AT_FDCWD, name, 0));
  return 0;
}
