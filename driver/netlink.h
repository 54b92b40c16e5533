/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink: nl_do.c has the operations on one card, nl_dump.c what all dumps
 * share, nl_tables.c what each of them shows; nl_qp.c, nl_path.c and nl_limits.c
 * have both, of their objects. netlink_gen.[ch] are generated.
 */
#ifndef OCFABRIC_DRIVER_NETLINK_H
#define OCFABRIC_DRIVER_NETLINK_H

#include "netlink_gen.h"
#include "ocfabric.h"

/*
 * A dump is taken at once, when it starts, row by row; what follows only sends
 * the rows. So it shows one instant of each card, however slowly it is read.
 */
struct ocf_rows {
	size_t size;		/* of a row */
	u32 count;
	u32 room;
	void *row;
};

/* A zeroed row more, or NULL. */
void *ocf_rows_add(struct ocf_rows *rows);

struct ocf_table {
	size_t row_size;	/* a row's first member is the card's number, u32 */
	int (*take)(struct ocf_card *card, struct ocf_rows *rows);
	int (*put)(struct sk_buff *skb, const void *row);
};

/* nl_tables.c: NULL for commands that dump nothing */
const struct ocf_table *ocf_table_of(u8 cmd);

/* nl_device.c, nl_state.c, nl_qp.c, nl_path.c */
extern const struct ocf_table ocf_table_devices;
extern const struct ocf_table ocf_table_counters;
extern const struct ocf_table ocf_table_replicas;
extern const struct ocf_table ocf_table_rejects;
extern const struct ocf_table ocf_table_semaphores;
extern const struct ocf_table ocf_table_qps;
extern const struct ocf_table ocf_table_stages;
extern const struct ocf_table ocf_table_rings;

/* nl_state.c: links below n, that the card has */
u32 ocf_nl_links(struct ocf_card *card);

/* nl_do.c */
struct ocf_card *ocf_nl_card(struct genl_info *info, int attr);
int ocf_nl_failed(struct genl_info *info, const struct ocf_card *card, int error);
int ocf_nl_no_replica(struct genl_info *info, const struct ocf_card *card,
		      const char *what, int attr);

/* nl_qp.c */
int ocf_nl_qp_reset(struct genl_info *info, struct ocf_card *card);

#endif /* OCFABRIC_DRIVER_NETLINK_H */
