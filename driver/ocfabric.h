/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver's design; read it top to bottom.
 *
 * Objects and who holds them
 *
 *   ocf_card	 a card that was probed. A kref is held by the table of cards,
 *		 every open node and every replica. Outlives the hardware:
 *		 after removal it is a shell whose calls all say ENODEV.
 *   ocf_config	 one state of the configuration, never changed once published.
 *		 The card holds the published one; readers take references.
 *   ocf_replica somebody's being a replica. A kref is held by the handle's
 *		 file and, while the card knows of it, by its slot. Revoking
 *		 (removal, reset) empties it at once, whoever holds the file.
 *   ocf_mem	 coherent memory in chunks: rings, owner lines, buffers.
 *   ocf_key	 memory behind a key: pinned user pages, or an ocf_buffer.
 *
 * Nothing that a file or a mapping can reach is devm.
 *
 * Lock order, outermost first
 *
 *   mmap_lock		of the kernel; faults and munmap come to us with it
 *   card->reset_lock	one stop or start of the card at a time
 *   card->gate		read: whoever uses registers or DMA of a live card;
 *			write: whoever stops it
 *   card->config_lock	configuration, drain, slots, owners of the HBM
 *   replica->lock	keys; one queue command of a replica at a time
 *   card->qp_lock	queue pairs: the card's one command block
 *   card->cmd_lock	mailbox and the buffer that it reads
 *   card->broadcast_lock  broadcast doorbells and what became of the last
 *   card->snapshot_lock  what the last snapshot took: counters, stages, rejects,
 *			contexts of queue pairs
 *   replica->map_lock	read: use of the replica's region and memory by faults,
 *			read(), write(), poll(); write: taking them away. Several
 *			are held at once under config_lock.
 *   ocf_cards_lock	table of cards
 *   card->publish_lock, slot->lock (irq)	leaves
 *
 * mmap_lock is only ever followed by map_lock: no user memory is touched and
 * no page pinned under any lock of the driver, so that neither a user's page
 * fault nor his FUSE server can hold anyone up. Every wait is at most
 * OCF_WAIT_MS long and ends when the card is being stopped.
 *
 * A card that lies
 *
 * What the card says, in registers and in memory that it writes, is read once
 * and bounded before it is an index, a length, a count or anybody's answer.
 *
 *   identity, capabilities	refused by probe, or by the start after a reset;
 *				those of probe hold until the driver goes
 *   not drained, busy		ETIMEDOUT for the call; a start fails
 *   a command does not end	ETIMEDOUT for its caller, EIO for those after
 *				it; the card is reset, see ocf_card_failed().
 *				What the card may still reach is kept until
 *				then. When that has happened OCF_FAILURES_MAX
 *				times and no command went well in between, the
 *				card is given up: ENODEV for all, until a reset
 *				of the function or another probe
 *   the same of a QP		ETIMEDOUT; EBUSY for those after it
 *   values that cannot be	taken for one that can, see ocf_believe(), and
 *				told in the log; rejects and events are dropped
 *   interrupts, events		a vector that comes more often than it can rests,
 *				see ocf_storm_count()
 *   completions, semaphores	are the owner's to doubt: the driver only looks
 *				whether to wake him
 *   bytes of the HBM		are what they are
 *
 * The log gets at most OCF_DOUBTS lines in OCF_DOUBTS_INTERVAL of a card. Only
 * an IOMMU keeps a card from memory that it was never given, or that was taken
 * from it.
 */
#ifndef OCFABRIC_DRIVER_H
#define OCFABRIC_DRIVER_H

#include <linux/cleanup.h>
#include <linux/io.h>
#include <linux/kref.h>
#include <linux/maple_tree.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/poll.h>
#include <linux/ratelimit_types.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/version.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <uapi/linux/ocfabric.h>
#include <uapi/linux/ocfabric_netlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error "ocfabric needs Linux 6.12 or later."
#endif
#ifndef CONFIG_64BIT
#error "ocfabric needs a 64-bit kernel: the card's registers and HBM do."
#endif

#define OCF_WAIT_MS	1000
#define OCF_KEYS_MAX	(OCFABRIC_KEY_INDEX_MASK + 1)
#define OCF_KEY_RANGES_MAX	1024
#define OCF_RANGES_MAX	(OCF_KEYS_MAX * OCF_KEY_RANGES_MAX)
#define OCF_FAULTS_MAX	SZ_64K
#define OCF_CLOCK_MHZ_MAX	100000
#define OCF_BUFFER_MAX	SZ_64M
#define OCF_EVENT_SHIFT	8

struct ocf_card;
struct ocf_replica;

/* ---- configuration ------------------------------------------------------ */

struct ocf_window {
	u64 offset;
	u64 length;
	u8 src;
	u8 dst;
	u8 sem_first;
	u8 sem_count;
	bool late;	/* in a draft: names a replica that is not there yet */
	u16 step;	/* in a draft: 1 + the step that added it, or 0 */
};

struct ocf_fault {
	u64 line;	/* HBM address, a multiple of 64 */
	u32 delay;
	u8 resp;	/* enum ocfabric_resp */
};

struct ocf_config {
	refcount_t ref;
	u32 replicas;
	u32 latency;
	bool upstream_qpns;
	struct ocfabric_region region[OCFABRIC_REPLICAS_MAX];
	u8 peer[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS];
	u32 window_count;
	u32 fault_count;
	struct ocf_window *window;
	struct ocf_fault *fault;	/* sorted by line */
};

/* Why something was refused. */
struct ocf_refusal {
	u32 step;			/* OCF_NO_STEP: none in particular */
	char reason[OCFABRIC_REASON_MAX];
};

#define OCF_NO_STEP	U32_MAX

/* A configuration in the making. */
struct ocf_draft {
	struct ocf_card *card;
	struct ocf_config *config;	/* ours until published */
	struct ocf_refusal *refusal;
	u32 step;			/* the one that is being applied */
	bool counters_reset;
	bool hbm_clear;
	/* 1 + the step that set it and has to answer for it at the end; 0: fine */
	u16 region_step[OCFABRIC_REPLICAS_MAX];
	u16 peer_step[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS];
	u16 fault_step;
	u32 window_room;
	u32 fault_room;
};

/* Where a link was when a drain took too long. */
struct ocf_stuck {
	u32 link;
	u32 stage;	/* enum ocfabric_stage */
};

/* A drain by hand. */
struct ocf_hold {
	bool held;		/* WRITE_ONCE: looked at without the lock, too */
	struct pid *pid;	/* a reference, while held */
	char comm[TASK_COMM_LEN];
	u64 since;		/* ns since 1970 */
};

/* ---- memory ------------------------------------------------------------- */

/* Pages charged to somebody's RLIMIT_MEMLOCK; mm is grabbed, not used. */
struct ocf_charge {
	struct mm_struct *mm;
	unsigned long pages;
};

struct ocf_chunk {
	void *cpu;
	dma_addr_t dma;
};

struct ocf_mem {
	struct device *dev;
	struct ocf_charge charge;
	size_t size;		/* whole pages */
	unsigned int chunk_shift;
	unsigned int chunks;	/* allocated */
	unsigned long *pfn;	/* of each page */
	struct ocf_chunk chunk[] __counted_by(chunks);
};

/*
 * Memory that a key and mappings share. All of it is protected by the
 * replica's map_lock.
 */
struct ocf_buffer {
	struct ocf_mem *mem;		/* NULL once revoked */
	struct list_head node;		/* Head at ocf_replica::buffers */
	struct ocf_replica *replica;
	unsigned int users;		/* the key, and mappings */
	u32 index;			/* of its key */
	bool keyed;			/* the key is there: it can be mapped */
};

/* Pinned user pages, mapped for the card to read. */
struct ocf_pin {
	struct device *dev;
	struct ocf_charge charge;
	struct page **pages;
	unsigned long count;		/* pages pinned */
	struct sg_table sgt;
	bool mapped;
};

struct ocf_key {
	u32 key;
	u32 ranges;
	u64 bytes;
	struct ocf_pin *pin;		/* one of these two */
	struct ocf_buffer *buffer;
	struct ocfabric_hw_range *range; /* while it is made */
};

/* ---- replicas ----------------------------------------------------------- */

/* How often a queue interrupts; in a change, OCF_MODERATION_KEEP: as it does. */
struct ocf_moderation {
	u32 burst;
	u32 timer;	/* ns */
	u32 mode;	/* enum ocfabric_moderation_mode */
};

#define OCF_MODERATION_KEEP	U32_MAX

/* Of a card; in a change, OCF_LIMIT_KEEP: as it is. */
struct ocf_limits {
	u32 stall;	/* ms; 0: off */
	u32 storm;	/* interrupts of a queue in a ms; 0: off */
};

#define OCF_LIMIT_KEEP	U32_MAX
#define OCF_WEIGHT	1	/* of a queue, until an operator says otherwise */

/* Of each ring, powers of two. */
struct ocf_entries {
	u32 tx;
	u32 rx;
	u32 cq;
};

struct ocf_rings {
	struct ocf_mem *tx;
	struct ocf_mem *rx;
	struct ocf_mem *cq;
	struct ocf_mem *owner;
	struct ocf_mem *semaphores;	/* their mirror; the card writes it */
	u8 tx_shift;
	u8 rx_shift;
	u8 cq_shift;
};

struct ocf_replica {
	struct kref ref;
	struct ocf_card *card;		/* a reference */
	u32 index;
	kuid_t uid;			/* of who attached */
	struct pid *pid;		/* a reference */
	char comm[TASK_COMM_LEN];
	u64 since;			/* fabric clock, before its queue ran */

	struct rw_semaphore map_lock;
	/* map_lock: */
	bool alive;			/* sits in its slot; the card serves it; WRITE_ONCE */
	struct address_space *mapping;	/* of the file; NULL when it is closed */
	struct ocfabric_region region;	/* as of now */
	struct ocf_rings rings;
	struct list_head buffers;

	struct mutex lock;			/* protects what follows */
	struct ocf_key *key[OCF_KEYS_MAX];	/* or OCF_KEY_RESERVED */
	u32 ranges;
	u32 keys;				/* WRITE_ONCE: shown to others */
	u64 pinned;				/* bytes; the same */
};

/* What a card keeps for each replica, whether somebody is it or not. */
struct ocf_slot {
	struct ocf_card *card;		/* that it is part of */
	u32 index;
	wait_queue_head_t wait;		/* poll() */
	struct ocf_replica *replica;	/* config_lock; a reference */
	struct ocf_moderation moderation; /* config_lock; an operator's */
	u32 weight;			/* config_lock; the same */
	kuid_t last_uid;		/* config_lock; whose semaphores they are */
	atomic_t key_generation;	/* of the key made last */
	bool stopped;			/* the queue, by itself; WRITE_ONCE */

	spinlock_t lock;		/* taken in interrupts */
	struct eventfd_ctx *eventfd;	/* lock; a reference */
};

/* ---- the card ----------------------------------------------------------- */

enum ocf_state {
	OCF_STARTING,		/* probe, or whoever stopped it, is at work */
	OCF_LIVE,
	OCF_STOPPING,		/* everybody is asked to leave */
	OCF_STOPPED,		/* nobody is inside, no replica is attached */
	OCF_DEAD,		/* it did not come back, or is removed */
};

struct ocf_caps {
	u64 features;
	u64 hbm_size;
	u32 hw_version;
	u32 replicas;
	u32 windows;
	u32 clock_mhz;
	u32 keys;
	u32 ranges;
	u32 key_ranges;
	u32 faults;
};

struct ocf_event_ring {
	struct ocfabric_event *entry;	/* coherent, 1 << OCF_EVENT_SHIFT */
	dma_addr_t dma;
	u32 consumer;			/* event thread only */
	u32 lost;			/* as last read; event thread only */
	struct ratelimit_state error_news;
};

/* An interrupt, see ocf_storm_count(). */
struct ocf_vector {
	int irq;			/* asked for once: asking may sleep */
	spinlock_t lock;		/* a leaf, taken in interrupts */
	unsigned long since;		/* jiffies */
	unsigned int count;		/* since then */
	unsigned int most;		/* of that, when it began */
	bool rests;			/* disabled, until storm_end enables it */
};

struct ocf_card {
	struct kref ref;
	u32 index;			/* N of /dev/ocfabricN */
	struct pci_dev *pdev;		/* for as long as gate says LIVE */
	char pci_name[32];
	char name[16];
	struct miscdevice misc;
	struct ocf_caps caps;		/* as probed */

	void __iomem *control;		/* BAR 0 */
	void __iomem *hbm;		/* BAR 4, all of it, write-combining */
	void __iomem *broadcast[2];	/* page 0 of M2S and of S2M, uncached */
	phys_addr_t hbm_phys;
	phys_addr_t doorbell_phys;

	struct mutex reset_lock;	/* see lock order */
	enum ocf_state state;		/* reset_lock; READ_ONCE by waits */
	u32 life;			/* reset_lock: starts; READ_ONCE inside */
	u32 failed_life;		/* the one that recovery is to end */
	struct rw_semaphore gate;
	bool lost;			/* READ_ONCE: it reads as all ones */
	struct delayed_work look;	/* whether it is there */

	struct mutex config_lock;	/* protects what follows */
	struct ocf_hold hold;
	struct ocf_limits limits;
	struct maple_tree hbm_owners;	/* by line: xa_mk_value(uid + 1) */
	struct ocf_slot slot[OCFABRIC_REPLICAS_MAX];

	spinlock_t publish_lock;	/* protects what follows */
	/* the first two are written under config_lock only */
	struct ocf_config *config;	/* a reference */
	u32 generation;
	u32 event_seq;			/* of the next notification */
	u32 errors;			/* OCFABRIC_ERROR_* since the last reset */
	u32 events_lost;

	struct mutex qp_lock;		/* protects OCFABRIC_REG_QP */

	struct mutex cmd_lock;		/* protects the mailbox and */
	void *cmd_buf;			/* coherent, OCF_CMD_BUF bytes */
	dma_addr_t cmd_dma;

	struct mutex broadcast_lock;	/* protects OCFABRIC_REG_BROADCAST */

	struct mutex snapshot_lock;	/* protects the card's snapshot */

	struct ocf_event_ring events;
	unsigned int vectors;		/* interrupts requested */

	/* distrust.c */
	struct ratelimit_state doubts;
	atomic_t failures;		/* since a command went well */
	struct work_struct recovery;	/* holds a reference while queued */
	struct delayed_work storm_end;
	struct ocf_vector vector[OCFABRIC_VECTORS];
};

#define OCF_CMD_BUF	(OCF_KEY_RANGES_MAX * sizeof(struct ocfabric_hw_range))
static_assert(OCF_CMD_BUF >= sizeof(struct ocfabric_hw_queue));
static_assert(PAGE_SIZE == OCFABRIC_DOORBELL_PAGE_SIZE,
	      "doorbell pages are 4 KiB: kernels with such pages only");

void ocf_card_suspect(struct ocf_card *card);

static inline u32 ocf_readl(struct ocf_card *card, u32 reg)
{
	u32 value = readl(card->control + reg);

	if (PCI_POSSIBLE_ERROR(value))
		ocf_card_suspect(card);
	return value;
}

static inline u64 ocf_readq(struct ocf_card *card, u32 reg)
{
	u64 value = readq(card->control + reg);

	if (PCI_POSSIBLE_ERROR(value))
		ocf_card_suspect(card);
	return value;
}

static inline void ocf_writel(const struct ocf_card *card, u32 reg, u32 value)
{
	writel(value, card->control + reg);
}

static inline void ocf_writeq(const struct ocf_card *card, u32 reg, u64 value)
{
	writeq(value, card->control + reg);
}

/* card.c: references, the table of cards, states, stop and start */
struct ocf_card *ocf_card_alloc(struct pci_dev *pdev);
void ocf_card_put(struct ocf_card *card);
int ocf_card_publish(struct ocf_card *card);
void ocf_card_unpublish(struct ocf_card *card);
/* The card with this number, or with the next one; a reference, or NULL. */
struct ocf_card *ocf_card_find(u32 index);
struct ocf_card *ocf_card_next(unsigned long *index);
DEFINE_FREE(ocf_card_put, struct ocf_card *,
	    if (!IS_ERR_OR_NULL(_T)) ocf_card_put(_T))

bool ocf_card_live(const struct ocf_card *card);
bool ocf_card_stopping(const struct ocf_card *card);
/* Read-holds the gate of a card that is live; false: it is not. */
bool ocf_card_enter(struct ocf_card *card);
void ocf_card_leave(struct ocf_card *card);
DEFINE_CLASS(ocf_live, struct ocf_card *, if (_T) ocf_card_leave(_T),
	     ocf_card_enter(card) ? card : NULL, struct ocf_card *card)

int ocf_card_start(struct ocf_card *card);
void ocf_card_stop(struct ocf_card *card, bool reachable);
void ocf_card_give_up(struct ocf_card *card);
void ocf_card_bury(struct ocf_card *card);
int ocf_card_reset(struct ocf_card *card);

/* lost.c: a card that is not there any more */
int ocf_card_confirm(struct ocf_card *card);
void ocf_card_watch_init(struct ocf_card *card);
void ocf_card_watch(struct ocf_card *card);
void ocf_card_unwatch(struct ocf_card *card);

/* distrust.c: cards that cannot be believed */
u32 ocf_believe(struct ocf_card *card, const char *what, u32 index, u32 value,
		u32 most, u32 instead);
void ocf_disbelieve_event(struct ocf_card *card,
			  const struct ocfabric_event *event);
void ocf_card_failed(struct ocf_card *card, const char *what);
void ocf_card_works(struct ocf_card *card);
void ocf_storm_count(struct ocf_card *card, unsigned int vector,
		     unsigned int weight);
void ocf_distrust_init(struct ocf_card *card);
void ocf_distrust_end(struct ocf_card *card);

/* wait.c: bounded waits for the hardware */
struct ocf_wait {
	struct ocf_card *card;
	ktime_t deadline;
	unsigned int tries;
	bool killable;
	bool last;
};

void ocf_wait_start(struct ocf_wait *wait, struct ocf_card *card, bool killable);
/* After another look: 0 to look again, or why not to. */
int ocf_wait_more(struct ocf_wait *wait);

/* pci.c */
extern struct pci_driver ocf_pci_driver;
void ocf_irqs_enable(struct ocf_card *card);
void ocf_irqs_disable(struct ocf_card *card);

/* cmd.c: the mailbox, one function a command */
int ocf_cmd_queue_enable(struct ocf_card *card, u32 queue,
			 const struct ocfabric_hw_queue *setup);
int ocf_cmd_queue_disable(struct ocf_card *card, u32 queue);
int ocf_cmd_key_add(struct ocf_card *card, u32 queue, u32 key,
		    const struct ocfabric_hw_range *range, u32 count);
int ocf_cmd_key_del(struct ocf_card *card, u32 queue, u32 key);
int ocf_cmd_fault_resp(struct ocf_card *card, u64 line, u8 resp);
int ocf_cmd_fault_delay(struct ocf_card *card, u64 line, u32 delay);
int ocf_cmd_fault_clear(struct ocf_card *card, u64 line);
int ocf_cmd_fault_clear_all(struct ocf_card *card);
int ocf_cmd_link_reset(struct ocf_card *card, u32 link);

/* config.c: configurations and the published one */
extern const struct ocf_config ocf_config_nothing;
struct ocf_config *ocf_config_alloc(u32 windows, u32 faults);
void ocf_config_put(struct ocf_config *config);
DEFINE_FREE(ocf_config_put, struct ocf_config *, if (_T) ocf_config_put(_T))
void ocf_config_clear(struct ocf_config *config);
struct ocf_config *ocf_config_copy(const struct ocf_config *from,
				   u32 more_windows, u32 more_faults);
/* Windows are a set: these two are one. */
bool ocf_window_same(const struct ocf_window *a, const struct ocf_window *b);
/* The published one, a reference, and its generation. */
struct ocf_config *ocf_config_get(struct ocf_card *card, u32 *generation);
void ocf_config_publish(struct ocf_card *card, struct ocf_config *config);
void ocf_config_generation(struct ocf_card *card);

/* change.c: change the configuration, whole or not at all */
int ocf_config_change(struct ocf_card *card, const struct ocfabric_change *step,
		      u32 count, bool check, struct ocf_refusal *refusal);
int ocf_counters_reset(struct ocf_card *card, struct ocf_stuck *stuck);

/* step.c: one step after the other to a draft */
int ocf_draft_apply(struct ocf_draft *draft, const struct ocfabric_change *step);
__printf(4, 5)
int ocf_refuse(struct ocf_draft *draft, u32 step, int error, const char *fmt,
	       ...);

/* judge.c: what the steps amount to */
int ocf_draft_judge(struct ocf_draft *draft);

/* program.c: a configuration into the card, which is drained */
int ocf_program(struct ocf_card *card, const struct ocf_config *old,
		const struct ocf_config *new);

/* drain.c */
const char *ocf_stage_name(u32 stage);
int ocf_drain(struct ocf_card *card, struct ocf_stuck *stuck);
void ocf_resume(struct ocf_card *card);
int ocf_drain_hold(struct ocf_card *card, struct ocf_stuck *stuck,
		   char *holder, size_t room);
int ocf_drain_release(struct ocf_card *card);
void ocf_hold_clear(struct ocf_hold *hold);

/* hbm.c: who owned which bytes and semaphores last */
bool ocf_hbm_give(struct ocf_card *card, const struct ocfabric_region *region,
		  kuid_t uid, bool clear);
void ocf_hbm_forget(struct ocf_card *card);

/* region.c: regions of attached replicas; read(), write(), seek */
void ocf_regions_move(struct ocf_card *card, const struct ocf_config *new,
		      bool clear);
/* Bytes from the region's start to its first whole page, and pages. */
u64 ocf_region_skip(const struct ocfabric_region *region);
u64 ocf_region_pages(const struct ocfabric_region *region);
ssize_t ocf_region_read(struct file *file, char __user *buf, size_t count,
			loff_t *pos);
ssize_t ocf_region_write(struct file *file, const char __user *buf,
			 size_t count, loff_t *pos);
loff_t ocf_region_llseek(struct file *file, loff_t offset, int whence);

/* charge.c */
int ocf_charge(struct ocf_charge *charge, unsigned long pages);
void ocf_uncharge(struct ocf_charge *charge);

/* mem.c */
struct ocf_mem *ocf_mem_alloc(struct ocf_card *card, size_t size,
			      unsigned int chunk_shift);
void ocf_mem_free(struct ocf_mem *mem);
void ocf_mem_zero(struct ocf_mem *mem);
void *ocf_mem_at(const struct ocf_mem *mem, size_t offset);

/* pin.c */
struct ocf_pin *ocf_pin_user(u64 addr, u64 length);
int ocf_pin_map(struct ocf_pin *pin, struct ocf_card *card);
void ocf_pin_free(struct ocf_pin *pin);

/* key.c */
#define OCF_KEY_RESERVED	((struct ocf_key *)ERR_PTR(-EBUSY))

struct ocf_key *ocf_key_new(struct ocf_replica *replica);
int ocf_key_range(struct ocf_card *card, struct ocf_key *key, u64 addr, u64 len);
int ocf_key_make(struct ocf_replica *replica, struct ocf_key *key,
		 int (*fill)(struct ocf_replica *replica, struct ocf_key *key));
int ocf_key_add(struct ocf_replica *replica, u64 addr, u64 length, u32 *key);
int ocf_key_del(struct ocf_replica *replica, u32 key);
int ocf_keys_del(struct ocf_replica *replica);
void ocf_keys_free(struct ocf_replica *replica);

/* buffer.c */
int ocf_buffer_add(struct ocf_replica *replica, u64 length,
		   struct ocfabric_map *map, u32 *key);
void ocf_buffer_unkey(struct ocf_buffer *buffer);
void ocf_buffer_put(struct ocf_buffer *buffer);
void ocf_buffers_revoke(struct ocf_replica *replica);

/* queue.c */
int ocf_rings_alloc(struct ocf_card *card, struct ocf_rings *rings,
		    const struct ocf_entries *entries);
void ocf_rings_free(struct ocf_rings *rings);
int ocf_queue_enable(struct ocf_replica *replica, bool clear);
int ocf_queue_finish(struct ocf_replica *replica);
int ocf_queue_reset(struct ocf_replica *replica);
void ocf_queue_read(struct ocf_card *card, u32 queue,
		    struct ocfabric_queue_get *get);
int ocf_link_reset(struct ocf_card *card, u32 link);
void ocf_semaphores_read(struct ocf_card *card, u32 replica, u32 *value);
__poll_t ocf_queue_events(const struct ocf_replica *replica);
bool ocf_queue_stopped(const struct ocf_replica *replica);

/* moderation.c */
extern const struct ocf_moderation ocf_moderation_default;
void ocf_moderation_read(struct ocf_card *card, u32 queue,
			 struct ocf_moderation *moderation);
void ocf_moderation_restore(struct ocf_card *card, u32 queue);
int ocf_moderation_own(struct ocf_replica *replica,
		       const struct ocf_moderation *moderation);
int ocf_moderation_set(struct ocf_card *card, u32 queue,
		       const struct ocf_moderation *change);

/* limits.c */
extern const struct ocf_limits ocf_limits_default;
void ocf_limits_restore(struct ocf_card *card);
int ocf_limits_read(struct ocf_card *card, struct ocf_limits *limits);
int ocf_limits_set(struct ocf_card *card, const struct ocf_limits *change);
int ocf_weight_set(struct ocf_card *card, u32 queue, u32 weight);
u32 ocf_weight_read(struct ocf_card *card, u32 queue);
u32 ocf_delayed_read(struct ocf_card *card, u32 queue);

/* replica.c */
extern const struct file_operations ocf_replica_fops;
struct ocf_replica *ocf_replica_alloc(struct ocf_card *card, u32 index);
void ocf_replica_put(struct ocf_replica *replica);
struct file *ocf_replica_file(struct ocf_replica *replica);
int ocf_replica_attach(struct ocf_replica *replica,
		       const struct ocf_entries *entries, bool clear);
void ocf_replica_revoke(struct ocf_replica *replica);

/* slot.c: waiting for a queue */
void ocf_slot_init(struct ocf_card *card, u32 index);
void ocf_slot_wake(struct ocf_slot *slot, __poll_t what);
int ocf_slot_eventfd(struct ocf_slot *slot, int fd);
void ocf_slot_clear(struct ocf_slot *slot);

/* mmap.c */
enum ocf_map_kind {
	OCF_MAP_TX,
	OCF_MAP_CQ,
	OCF_MAP_OWNER,
	OCF_MAP_DOORBELL,
	OCF_MAP_REGION,
	OCF_MAP_BUFFER,
	OCF_MAP_RX,
	OCF_MAP_RX_DOORBELL,
	OCF_MAP_SEMAPHORES,
	OCF_MAP_KINDS
};

u64 ocf_map_offset(enum ocf_map_kind kind, u32 index);
int ocf_replica_mmap(struct file *file, struct vm_area_struct *vma);
void ocf_map_zap(struct ocf_replica *replica);
void ocf_map_zap_region(struct ocf_replica *replica);

/* ioctl.c: one table for nodes and handles */
#define OCF_ON_NODE	1u
#define OCF_ON_REPLICA	2u

union ocf_args {
	u32 head[2];			/* size, flags */
	struct ocfabric_info info;
	struct ocfabric_attach attach;
	struct ocfabric_config_get config_get;
	struct ocfabric_config_change config_change;
	struct ocfabric_counters_get counters_get;
	struct ocfabric_drain drain;
	struct ocfabric_reset reset;
	struct ocfabric_replica_get replica_get;
	struct ocfabric_key_add key_add;
	struct ocfabric_buffer_add buffer_add;
	struct ocfabric_key_del key_del;
	struct ocfabric_eventfd eventfd;
	struct ocfabric_queue_get queue_get;
	struct ocfabric_queue_reset queue_reset;
	struct ocfabric_rejects_get rejects_get;
	struct ocfabric_moderation moderation;
	struct ocfabric_broadcast broadcast;
};

struct ocf_call {
	struct file *file;
	struct ocf_card *card;
	struct ocf_replica *replica;	/* NULL on a node */
	void __user *arg;
	u32 user_size;
	u32 size;
	union ocf_args *args;		/* the kernel's copy */
};

long ocf_ioctl(struct file *file, struct ocf_card *card,
	       struct ocf_replica *replica, unsigned int cmd, unsigned long arg);
/* Copies the arguments back; the last thing that a call does. */
int ocf_respond(const struct ocf_call *call);

/* node_calls.c */
int ocf_call_info(struct ocf_call *call);
int ocf_call_attach(struct ocf_call *call);
int ocf_call_config_get(struct ocf_call *call);
int ocf_call_config_change(struct ocf_call *call);
int ocf_call_counters_get(struct ocf_call *call);
int ocf_call_drain(struct ocf_call *call);
int ocf_call_reset(struct ocf_call *call);

/* replica_calls.c */
int ocf_call_replica_get(struct ocf_call *call);
int ocf_call_key_add(struct ocf_call *call);
int ocf_call_buffer_add(struct ocf_call *call);
int ocf_call_key_del(struct ocf_call *call);
int ocf_call_eventfd(struct ocf_call *call);
int ocf_call_queue_get(struct ocf_call *call);
int ocf_call_queue_reset(struct ocf_call *call);
int ocf_call_rejects_get(struct ocf_call *call);
int ocf_call_moderation(struct ocf_call *call);

/* broadcast.c */
int ocf_call_broadcast(struct ocf_call *call);

/* node.c */
extern const struct file_operations ocf_node_fops;

/* counters.c */
extern const char *const ocf_counter_names[OCFABRIC_COUNTERS];

struct ocf_counters {
	u64 clock;
	u64 link[OCFABRIC_REPLICAS_MAX][OCFABRIC_COUNTERS];
};

struct ocf_rejects {
	u32 count[OCFABRIC_REPLICAS_MAX];
	struct ocfabric_hw_reject reject[OCFABRIC_REPLICAS_MAX][OCFABRIC_REJECTS];
};

int ocf_counters_read(struct ocf_card *card, struct ocf_counters *counters);
int ocf_rejects_read(struct ocf_card *card, u32 link, u32 links,
		     struct ocf_rejects *rejects);
void ocf_snapshot_copy(struct ocf_card *card, u32 reg, void *to, size_t size);

/* path.c: where writes are */
struct ocf_path_count {
	u64 in;
	u64 out;
	u64 ended;
};

struct ocf_path {
	struct ocf_path_count stage[OCFABRIC_PATHS];
	u8 at;			/* of the write in flight, or OCFABRIC_PATH_NONE */
	u8 waits_for;		/* enum ocfabric_waits_for */
	u64 since;		/* cycles */
	u64 due;		/* cycles; 0: not known */
};

const char *ocf_path_name(u32 stage);
int ocf_paths_read(struct ocf_card *card, u32 link, u32 links,
		   struct ocf_path *path, u64 *clock);

/* qp.c: queue pairs */
struct ocf_qps {
	struct ocfabric_hw_qp qp[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS];
};

struct ocf_qp_change {
	u32 link;
	u32 qpn;
	u32 valid;			/* OCFABRIC_QP_ATTR_* */
	u32 value[OCFABRIC_QP_ATTRS];	/* by the number of the bit */
};

/* What the card said to a command. */
struct ocf_qp_answer {
	u8 result;			/* enum ocfabric_hw_result */
	u8 attr;			/* at fault; OCFABRIC_QP_NO_ATTR: none */
	struct ocfabric_hw_qp qp;	/* as it is after the command */
	u32 busy_link;			/* with -EBUSY: whose command is at work */
	u32 busy_qpn;
};

const char *ocf_qp_state_name(u32 state);
int ocf_qps_read(struct ocf_card *card, struct ocf_qps *qps);
int ocf_qp_modify(struct ocf_card *card, const struct ocf_qp_change *change,
		  struct ocf_qp_answer *answer);
int ocf_qp_recover(struct ocf_card *card, u32 link, u32 qpn,
		   struct ocf_qp_answer *answer);

/* ring.c: the last entries of rings, without what is secret */
#define OCF_RING_LAST	16u			/* of a ring */
#define OCF_RINGS_LAST	(3 * OCF_RING_LAST)	/* of a replica's */

struct ocf_ring_entry {
	enum ocfabric_ring_kind kind;
	u32 index;
	u32 size;
	u8 data[sizeof(struct ocfabric_desc)] __aligned(8);
};

u32 ocf_rings_last(struct ocf_replica *replica, struct ocf_ring_entry *entry);

/* event.c: what the card tells */
int ocf_events_alloc(struct ocf_card *card);
void ocf_events_start(struct ocf_card *card);
/* How many there were. */
unsigned int ocf_events_take(struct ocf_card *card);

/* notify.c: what is told to listeners */
struct ocf_news {
	enum ocfabric_event_kind kind;
	u32 replica;		/* or link, or queue; OCF_NO_REPLICA: absent */
	u32 cause;
	u32 wrote;
	u32 expected;
	u32 errors;
	u32 lost;
	u32 stage;
	u32 age;
	u32 qpn;
	u32 verdict;
	u32 omitted;
	u32 state;
	u64 clock;		/* 0: absent */
};

#define OCF_NO_REPLICA	U32_MAX

void ocf_notify(struct ocf_card *card, const struct ocf_news *news);
void ocf_notify_kind(struct ocf_card *card, enum ocfabric_event_kind kind);
void ocf_notify_replica(struct ocf_card *card, enum ocfabric_event_kind kind,
			u32 replica);

/* sysfs.c */
extern const struct attribute_group *ocf_sysfs_groups[];
void ocf_sysfs_init(void);

#endif /* OCFABRIC_DRIVER_H */
