// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel offers for any file, done to the node and to a handle */
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/aio_abi.h>
#include <linux/io_uring.h>

#include "child.h"
#include "fuzz.h"

long call32(unsigned int nr, unsigned long a, unsigned long b, unsigned long c,
	    unsigned long d, unsigned long e)
{
#ifdef __x86_64__
	register unsigned long si asm("rsi") = d;
	register unsigned long di asm("rdi") = e;
	long ret;

	asm volatile("int $0x80"
		     : "=a"(ret), "+r"(si), "+r"(di)
		     : "a"((unsigned long)nr), "b"(a), "c"(b), "d"(c)
		     : "memory", "cc", "r8", "r9", "r10", "r11");
	return (int)ret;
#else
	(void)nr, (void)a, (void)b, (void)c, (void)d, (void)e;
	return -ENOSYS;
#endif
}

static sigjmp_buf none;

static void no_such_gate(int nr)
{
	(void)nr;
	siglongjmp(none, 1);
}

/* Asked once, before there are threads. */
bool have_call32(void)
{
	static int have = -1;
	struct sigaction catch = { .sa_handler = no_such_gate }, old;

	if (have >= 0)
		return have;
	sigaction(SIGSEGV, &catch, &old);
	if (!sigsetjmp(none, 1))
		have = call32(20, 0, 0, 0, 0, 0) == getpid();
	else
		have = 0;
	sigaction(SIGSEGV, &old, NULL);
	return have;
}

static int any_file(struct fuzz *f)
{
	switch (pick(f, 4)) {
	case 0:
		return f->node;
	case 1:
		return f->peer.fd;
	default:
		return f->r.fd;
	}
}

static void file_poll(struct fuzz *f)
{
	struct pollfd p[] = { { .fd = any_file(f), .events = pick(f, 0x10000) },
			      { .fd = f->nl.fd, .events = POLLIN } };
	struct epoll_event e = { .events = EPOLLIN | pick(f, 2) * EPOLLET |
					   pick(f, 2) * EPOLLONESHOT };
	int epoll;

	poll(p, ARRAY_LEN(p), 0);
	if (pick(f, 2))
		return;
	epoll = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned int i = pick(f, 4); i; i--) {
		epoll_ctl(epoll, 1 + pick(f, 3), any_file(f), &e);
		epoll_wait(epoll, &e, 1, 0);
	}
	close(epoll);
}

static void file_control(struct fuzz *f)
{
	static const int commands[] = {
		F_GETFD, F_GETFL, F_SETFL, F_GETOWN, F_SETSIG, F_GETSIG, F_SETLEASE, F_GETLEASE,
		F_NOTIFY, F_SETPIPE_SZ, F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS, 1036, 1037,
	};
	int command = commands[pick(f, ARRAY_LEN(commands))], fd = any_file(f);
	unsigned long argument = pick_number(f);

	/* a signal nobody waits for would end the test */
	if (command == F_SETFL)
		argument &= O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME;
	if (command == F_SETSIG)
		argument = 0;
	fcntl(fd, command, argument);
	if (command == F_SETFL)
		fcntl(fd, command, 0);
	flock(fd, LOCK_NB | (LOCK_SH << pick(f, 4)));
}

/* Copies of the file, the last of which may be in flight when all others close. */
static void file_pass(struct fuzz *f)
{
	int copy = dup(any_file(f)), sv[2], got;

	if (copy < 0 || socket_pair(sv))
		return;
	send_fd(sv[0], copy);
	if (pick(f, 2)) {	/* the socket itself, through itself */
		send_fd(sv[0], sv[1]);
	} else {
		got = receive_fd(sv[1]);
		if (got >= 0)
			close(got);
	}
	close(copy);
	close(sv[0]);
	close(sv[1]);
}

static void file_splice(struct fuzz *f)
{
	loff_t at = pick(f, 2) ? pick(f, 2 * FUZZ_REGION) : pick_number(f);
	size_t length = 1 + pick(f, 2 * PAGE);
	int fd = any_file(f), p[2];

	if (pipe2(p, O_CLOEXEC | O_NONBLOCK))
		return;
	switch (pick(f, 5)) {
	case 0:
		splice(fd, &at, p[1], NULL, length, SPLICE_F_NONBLOCK);
		break;
	case 1:
		(void)!write(p[1], f->arena, PAGE);
		splice(p[0], NULL, fd, &at, length, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
		break;
	case 2:
		sendfile(p[1], fd, &at, length);
		break;
	case 3:
		sendfile(fd, fd, &at, length);
		break;
	default:
		copy_file_range(fd, &at, f->r.fd, &at, length, 0);
	}
	close(p[0]);
	close(p[1]);
}

static void file_plain(struct fuzz *f)
{
	struct iovec v = { f->arena, pick(f, 2 * PAGE) };
	int fd = any_file(f);
	struct stat st;

	switch (pick(f, 10)) {
	case 0:
		lseek(fd, pick_number(f), pick(f, 6));
		break;
	case 1:
		fsync(fd);
		break;
	case 2:
		(void)!ftruncate(fd, pick_number(f));
		break;
	case 3:
		fallocate(fd, pick(f, 64), pick_number(f), pick_number(f));
		break;
	case 4:
		fstat(fd, &st);
		break;
	case 5:
		posix_fadvise(fd, pick_number(f), pick_number(f), pick(f, 7));
		break;
	case 6:
		readahead(fd, pick_number(f), pick(f, 4 * PAGE));
		break;
	case 7:
		preadv2(fd, &v, 1, pick(f, 2) ? pick(f, FUZZ_REGION) : -1, 1u << pick(f, 6));
		break;
	case 8:
		pwritev2(fd, &v, 1, pick(f, 2) ? pick(f, FUZZ_REGION) : -1, 1u << pick(f, 6));
		break;
	default:
		syscall(SYS_getdents64, fd, f->arena, PAGE);
	}
}

static void file_reopen(struct fuzz *f)
{
	static const int flags[] = { O_RDONLY, O_WRONLY, O_RDWR, O_PATH, O_RDWR | O_TRUNC,
				     O_RDWR | O_DIRECT, O_DIRECTORY, O_RDWR | O_NONBLOCK };
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/%s/%d", pick(f, 2) ? "fd" : "fdinfo",
		 any_file(f));
	fd = open(path, flags[pick(f, ARRAY_LEN(flags))] | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)!read(fd, f->arena, PAGE);
	call(fd, OCFABRIC_INFO, ARG(ocfabric_info));
	close(fd);
}

static void file_aio(struct fuzz *f)
{
	struct iocb io = { .aio_fildes = any_file(f), .aio_lio_opcode = pick(f, 9),
			   .aio_buf = (uintptr_t)f->arena, .aio_nbytes = pick(f, 2 * PAGE),
			   .aio_offset = pick(f, FUZZ_REGION) };
	struct iocb *list[] = { &io };
	aio_context_t context = 0;

	if (io.aio_lio_opcode == IOCB_CMD_POLL)
		io.aio_buf = POLLIN;
	if (syscall(SYS_io_setup, 4, &context))
		return;
	syscall(SYS_io_submit, context, 1, list);
	syscall(SYS_io_destroy, context);
}

/* One ring for one submission; what still waits is cancelled when it closes. */
static void file_uring(struct fuzz *f)
{
	static const uint8_t opcodes[] = { IORING_OP_READ, IORING_OP_WRITE, IORING_OP_POLL_ADD,
					   IORING_OP_FSYNC, IORING_OP_READV, IORING_OP_FADVISE,
					   46 /* URING_CMD */, IORING_OP_SPLICE };
	struct io_uring_params p = {};
	struct io_uring_sqe *sqe;
	int ring = syscall(SYS_io_uring_setup, 2, &p);
	uint8_t *sq;

	if (ring < 0)
		return;
	sq = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	if (sq != MAP_FAILED && sqe != MAP_FAILED) {
		*sqe = (struct io_uring_sqe){
			.opcode = opcodes[pick(f, ARRAY_LEN(opcodes))], .fd = any_file(f),
			.flags = pick(f, 2) ? 0 : IOSQE_ASYNC, .addr = (uintptr_t)f->arena,
			.len = pick(f, 2 * PAGE), .off = pick(f, FUZZ_REGION),
		};
		if (sqe->opcode == IORING_OP_POLL_ADD)
			sqe->poll32_events = POLLIN;
		*(uint32_t *)(sq + p.sq_off.tail) = 1;
		syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0);
	}
	munmap(sq, PAGE);
	munmap(sqe, PAGE);
	close(ring);
}

/* What 32-bit programs have besides ioctl(); calls are i386's numbers. */
static void file_call32(struct fuzz *f)
{
	uint32_t *v = (uint32_t *)f->arena;
	int fd = any_file(f);

	if (!have_call32())
		return;
	v[0] = (uintptr_t)(f->arena + PAGE);
	v[1] = pick(f, 2 * PAGE);
	switch (pick(f, 4)) {
	case 0:	/* preadv */
		call32(333, fd, (uintptr_t)v, 1, pick(f, FUZZ_REGION), 0);
		break;
	case 1:	/* pwritev */
		call32(334, fd, (uintptr_t)v, 1, pick(f, FUZZ_REGION), 0);
		break;
	case 2:	/* fcntl64 */
		call32(221, fd, pick(f, 16), (uintptr_t)v, 0, 0);
		break;
	default:	/* ioctl */
		call32(54, fd, pick_number(f), (uintptr_t)v, 0, 0);
	}
}

static char *attribute[512];
static unsigned int attributes;

static int remember(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_F && attributes < ARRAY_LEN(attribute))
		attribute[attributes++] = strdup(path);
	return 0;
}

/* The files of sysfs that are the driver's own, by the first name that the card has. */
static void file_sysfs(struct fuzz *f)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char path[64];
	int fd;

	pthread_mutex_lock(&lock);
	if (!attributes) {
		snprintf(path, sizeof(path), "/sys/class/misc/ocfabric%u/", node_number());
		nftw(path, remember, 8, FTW_PHYS);
	}
	pthread_mutex_unlock(&lock);
	if (!attributes)
		return;
	for (unsigned int i = 1 + pick(f, 4); i; i--) {
		const char *name = attribute[pick(f, attributes)];

		/* those that name no value are the core's: power, uevent */
		fd = open(name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		(void)!pread(fd, f->arena, 1 + pick(f, PAGE), pick(f, 4) ? 0 : pick(f, 40));
		close(fd);
	}
}

/* A piece of the stage becomes a mapping of the handle, or nothing. */
static void stage_map(struct fuzz *f, uint8_t *at, size_t length)
{
	const struct ocfabric_map *maps = &f->r.get.out_map_tx;
	uint64_t offset = pick(f, 4) ? maps[pick(f, 8)].offset + PAGE * pick(f, 4) :
				       pick_number(f) & ~(PAGE - 1);

	if (pick(f, 4))
		mmap(at, length, pick(f, 8), MAP_FIXED | (pick(f, 8) ? MAP_SHARED : MAP_PRIVATE),
		     pick(f, 8) ? f->r.fd : f->node, offset);
	else
		mmap(at, length, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The kernel itself touches the mapping for us. */
static void stage_use(struct fuzz *f, uint8_t *at, size_t length)
{
	struct iovec to = { f->arena, length }, from = { at, length };
	uint32_t key;
	int p[2];

	switch (pick(f, 5)) {
	case 0:
		process_vm_readv(getpid(), &to, 1, &from, 1, 0);
		break;
	case 1:
		(void)!pwrite(f->r.fd, at, length, 0);
		break;
	case 2:
		(void)!pread(f->r.fd, at, length, 0);
		break;
	case 3:
		if (!key_add(f->r.fd, at, length, &key))
			key_del(f->r.fd, key);
		break;
	default:
		if (pipe2(p, O_CLOEXEC | O_NONBLOCK))
			break;
		vmsplice(p[1], &from, 1, SPLICE_F_NONBLOCK);
		close(p[0]);
		close(p[1]);
	}
}

static void stage_change(struct fuzz *f, uint8_t *at, size_t length)
{
	unsigned char resident[64];
	uint8_t *to;

	switch (pick(f, 8)) {
	case 0:
		mprotect(at, length, pick(f, 8));
		break;
	case 1:
		madvise(at, length, pick(f, 26));
		break;
	case 2:
		msync(at, length, pick(f, 8));
		break;
	case 3:
		mlock(at, length);
		munlock(at, length);
		break;
	case 4:
		mincore(at, length, resident);
		break;
	case 5:	/* longer, or to elsewhere on the stage */
		to = f->stage + PAGE * pick(f, FUZZ_STAGE / PAGE - 8);
		mremap(at, length, PAGE * (1 + pick(f, 8)),
		       pick(f, 2) ? 0 : MREMAP_MAYMOVE | MREMAP_FIXED, to);
		break;
	case 6:
		syscall(SYS_remap_file_pages, at, length, 0, pick(f, 8), 0);
		break;
	default:
		(void)*(volatile uint32_t *)at;
	}
}

static void file_stage(struct fuzz *f)
{
	for (unsigned int i = 1 + pick(f, 6); i; i--) {
		uint8_t *at = f->stage + PAGE * pick(f, FUZZ_STAGE / PAGE - 8);
		size_t length = PAGE * (1 + pick(f, 8));

		switch (pick(f, 4)) {
		case 0:
			stage_change(f, at, length);
			break;
		case 1:
			stage_use(f, at, length);
			break;
		default:
			stage_map(f, at, length);
		}
		if (pick(f, 2))
			(void)*(volatile uint32_t *)at;
		else if (!pick(f, 3))
			*(volatile uint32_t *)at = pick(f, 256);
	}
}

static void leave(int nr)
{
	(void)nr;
	_exit(0);
}

/* A child has the handle, but not its mappings. */
static void file_fork(struct fuzz *f)
{
	int status;
	pid_t pid;

	if (pick(f, 8))
		return;
	pid = fork();
	if (!pid) {
		signal(SIGSEGV, leave);
		signal(SIGBUS, leave);
		call(f->r.fd, OCFABRIC_QUEUE_GET, ARG(ocfabric_queue_get));
		(void)*(volatile uint32_t *)f->stage;
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
}

void (*const fuzz_file_ops[])(struct fuzz *f) = {
	file_poll, file_control, file_pass, file_splice, file_plain, file_reopen, file_aio,
	file_uring, file_call32, file_sysfs, file_stage, file_stage, file_fork,
};

const unsigned int fuzz_file_op_count = ARRAY_LEN(fuzz_file_ops);
