// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the instructions of posting and polling: a child runs each call between
 * two breakpoints, its parent lets it go step by step. What calling an empty
 * function of the same arguments takes is subtracted.
 *
 * Prints "NAME COUNT" for each, for selftests/host/instructions.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ocfabric.h>

#define SHIFT		6
#define ENTRIES		(1u << SHIFT)
#define CALLS		8	/* of which the last is counted: warm and in mid-ring */
#define LIMIT		100000

struct call {
	struct ocf_replica *r;
	uint64_t raddr;
	uint64_t addr;
	uint32_t qpn;
	uint32_t len;
	uint32_t key;
	uint32_t imm;
	const void *data;
	struct ocf_completion *completions;
};

static struct ocfabric_desc tx[ENTRIES];
static struct ocfabric_rx_desc rx[ENTRIES];
static struct ocfabric_cqe cq[2 * ENTRIES];
static struct ocfabric_owner owner;
static uint32_t doorbells[2], semaphores[OCFABRIC_SEMAPHORES];

#define COUNTED(name, ...)						\
	static __attribute__((noinline, noclone)) int name(struct call *c)	\
	{								\
		struct ocf_replica *r = c->r;				\
									\
		__asm__ volatile("" : "+r" (r));			\
		return (int)(__VA_ARGS__);				\
	}

COUNTED(nothing, 0)
COUNTED(post_write, ocf_post_write(r, c->qpn, c->raddr, c->len, c->key, c->addr, 0))
COUNTED(post_write_unsignaled, ocf_post_write(r, c->qpn, c->raddr, c->len, c->key, c->addr, OCF_UNSIGNALED))
COUNTED(post_write_imm, ocf_post_write_imm(r, c->qpn, c->raddr, c->len, c->key, c->addr, c->imm, 0))
COUNTED(post_inline_8, ocf_post_inline(r, c->qpn, c->raddr, 8, c->data, 0))
COUNTED(post_inline_32, ocf_post_inline(r, c->qpn, c->raddr, 32, c->data, 0))
COUNTED(post_sem_remote, ocf_post_sem_remote(r, c->qpn, c->key, c->imm, 0))
COUNTED(post_recv, ocf_post_recv(r, 1))
COUNTED(sem_read, ocf_sem_read(r, c->key))
COUNTED(poll_nothing, ocf_poll(r, c->completions, 1))
COUNTED(post_and_ring, (ocf_post_write(r, c->qpn, c->raddr, c->len, c->key, c->addr, 0), ocf_ring(r), 0))
COUNTED(poll_one, ocf_poll(r, c->completions, 1))

static const struct {
	const char *name;
	int (*run)(struct call *c);
	bool completes;
} counted[] = {
	{ "nothing", nothing, false },
	{ "post_write", post_write, false },
	{ "post_write_unsignaled", post_write_unsignaled, false },
	{ "post_write_imm", post_write_imm, false },
	{ "post_inline_8", post_inline_8, false },
	{ "post_inline_32", post_inline_32, false },
	{ "post_sem_remote", post_sem_remote, false },
	{ "post_recv", post_recv, false },
	{ "sem_read", sem_read, false },
	{ "poll_nothing", poll_nothing, false },
	{ "post_and_ring", post_and_ring, false },
	{ "poll_one", poll_one, true },
};

static void setup(struct ocf_replica *r)
{
	memset(r, 0, sizeof(*r));
	r->tx = tx;
	r->rx = rx;
	r->cq = cq;
	r->owner = &owner;
	r->doorbell = &doorbells[0];
	r->rx_doorbell = &doorbells[1];
	r->semaphores = semaphores;
	r->tx_shift = SHIFT;
	r->rx_shift = SHIFT;
	r->cq_shift = SHIFT + 1;
	r->limit = ENTRIES;
	r->roomy = true;
	ocf_disarm_(r);
	ocf_set_end_(r);
}

static void child(unsigned int which)
{
	static struct ocf_completion completions[1];
	static const char data[32] = "what is sent";
	static struct ocf_replica r;
	struct call c = { .r = &r, .qpn = 1, .raddr = 64, .len = 64, .key = 7,
			  .data = data, .completions = completions };
	unsigned int i;

	setup(&r);
	for (i = 0; counted[which].completes && i < CALLS; i++) {
		ocf_post_nop(&r, 0);
		cq[i].index = (uint16_t)i;
		cq[i].flags = 1;
	}
	for (i = 0; i < CALLS - 1; i++)
		counted[which].run(&c);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	__asm__ volatile("int3" ::: "memory");
	counted[which].run(&c);
	__asm__ volatile("int3" ::: "memory");
	_exit(0);
}

/* Steps until the second breakpoint; -1: that was not to be seen. */
static long count(unsigned int which)
{
	pid_t pid = fork();
	long steps = -1;
	int status;

	if (!pid)
		child(which);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return -1;
	for (steps = 0; steps < LIMIT; steps++) {
		siginfo_t info;

		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) ||
		    waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			return -1;
		if (ptrace(PTRACE_GETSIGINFO, pid, NULL, &info))
			return -1;
		if (info.si_code == SI_KERNEL)	/* of int3 */
			break;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return steps < LIMIT ? steps : -1;
}

int main(void)
{
	long empty = 0, n;
	unsigned int i;

	for (i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		n = count(i);
		if (n < 0)
			return 1;
		if (!i)
			empty = n;
		else
			printf("%s %ld\n", counted[i].name, n - empty);
	}
	return 0;
}
