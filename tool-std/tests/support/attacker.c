/* Ways to a socket that no libc knows: each ends with 0 when it got one. Built statically by the tests. */
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct submit_offsets { unsigned head, tail, mask, entries, flags, dropped, array, resv; unsigned long addr; };
struct complete_offsets { unsigned head, tail, mask, entries, overflow, cqes, flags, resv; unsigned long addr; };
struct ring_parameters {
  unsigned sq, cq, flags, cpu, idle, features, wq, resv[3];
  struct submit_offsets submit;
  struct complete_offsets complete;
};

/* IORING_OP_SOCKET: the kernel makes the socket on behalf of the ring, past a filter of system calls. */
static int by_ring(void) {
  struct ring_parameters p;
  memset(&p, 0, sizeof p);
  int ring = syscall(SYS_io_uring_setup, 1, &p);
  if (ring < 0) return 1;
  char *sq = mmap(0, p.submit.array + p.sq * 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, 0);
  char *sqe = mmap(0, 64, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, 0x10000000);
  char *cq = mmap(0, p.complete.cqes + p.cq * 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, 0x8000000);
  if (sq == MAP_FAILED || sqe == MAP_FAILED || cq == MAP_FAILED) return 2;
  memset(sqe, 0, 64);
  sqe[0] = 45;                         /* IORING_OP_SOCKET */
  *(int *)(sqe + 4) = AF_INET;         /* fd: family */
  *(unsigned long *)(sqe + 8) = SOCK_STREAM; /* off: type */
  *(unsigned *)(sq + p.submit.array) = 0;
  *(unsigned *)(sq + p.submit.tail) += 1;
  if (syscall(SYS_io_uring_enter, ring, 1, 1, 1, 0, 0) < 0) return 3;
  struct { unsigned long data; int result; unsigned flags; } *done = (void *)(cq + p.complete.cqes);
  return done->result >= 0 ? 0 : 4;
}

/* The x32 entry of x86_64: the same calls by other numbers. */
static int by_x32(void) { return syscall(0x40000000 | SYS_socket, AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : 1; }

int main(int count, char **words) {
  if (count == 2 && !strcmp(words[1], "io_uring_socket")) return by_ring();
  if (count == 2 && !strcmp(words[1], "x32_socket")) return by_x32();
  return 9;
}
