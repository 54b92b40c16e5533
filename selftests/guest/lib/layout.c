// SPDX-License-Identifier: GPL-2.0-only
/*
 * The uapi's structures are laid out the same for 32-bit and 64-bit programs
 * and have no holes. Compiled for both, never run: each line is a promise that
 * a program built long ago relies on.
 */
#include <stddef.h>

#include <linux/ocfabric.h>
#include <linux/ocfabric_netlink.h>

#define SIZE(type, bytes) \
	_Static_assert(sizeof(struct type) == (bytes), #type " changed its size")
#define AT(type, field, offset) \
	_Static_assert(offsetof(struct type, field) == (offset), #type "." #field " moved")
/* The last field ends where the structure does: no padding behind it. */
#define ENDS(type, field) \
	_Static_assert(offsetof(struct type, field) + sizeof(((struct type *)0)->field) == \
		       sizeof(struct type), #type " has a tail of padding")

SIZE(ocfabric_info, 56);
AT(ocfabric_info, out_features, 8);
AT(ocfabric_info, out_hbm_size, 16);
AT(ocfabric_info, out_card, 24);
ENDS(ocfabric_info, out_key_ranges);

SIZE(ocfabric_attach, 32);
AT(ocfabric_attach, replica, 8);
AT(ocfabric_attach, out_fd, 24);
ENDS(ocfabric_attach, __reserved);

SIZE(ocfabric_region, 16);
SIZE(ocfabric_window, 32);
ENDS(ocfabric_window, sem_count);

SIZE(ocfabric_config_get, 56);
AT(ocfabric_config_get, windows, 24);
AT(ocfabric_config_get, window_count, 32);
ENDS(ocfabric_config_get, __reserved);

SIZE(ocfabric_change, 48);
ENDS(ocfabric_change, sem_count);
AT(ocfabric_change, value, 16);
AT(ocfabric_change, length, 32);

SIZE(ocfabric_config_change, 104);
AT(ocfabric_config_change, changes, 8);
AT(ocfabric_config_change, out_reason, 24);
ENDS(ocfabric_config_change, out_reason);

SIZE(ocfabric_counters_get, 32);
AT(ocfabric_counters_get, out_clock, 24);

SIZE(ocfabric_drain, 24);
ENDS(ocfabric_drain, __reserved);
SIZE(ocfabric_reset, 16);
SIZE(ocfabric_map, 16);

SIZE(ocfabric_replica_get, 184);
AT(ocfabric_replica_get, out_region, 32);
AT(ocfabric_replica_get, out_region_skip, 48);
AT(ocfabric_replica_get, out_map_tx, 56);
ENDS(ocfabric_replica_get, out_map_semaphores);

SIZE(ocfabric_key_add, 32);
SIZE(ocfabric_buffer_add, 40);
AT(ocfabric_buffer_add, out_map, 16);
SIZE(ocfabric_key_del, 16);
SIZE(ocfabric_eventfd, 16);
SIZE(ocfabric_queue_get, 64);
ENDS(ocfabric_queue_get, out_mode);
SIZE(ocfabric_queue_reset, 8);
SIZE(ocfabric_rejects_get, 24);
SIZE(ocfabric_moderation, 24);
SIZE(ocfabric_broadcast, 32);
ENDS(ocfabric_broadcast, __reserved);

/* What the card reads and writes */
SIZE(ocfabric_desc, 64);
AT(ocfabric_desc, qpn, 4);
AT(ocfabric_desc, raddr, 8);
AT(ocfabric_desc, len, 16);
AT(ocfabric_desc, beats, 20);
AT(ocfabric_desc, addr, 32);
AT(ocfabric_desc, key, 40);
AT(ocfabric_desc, data, 32);
SIZE(ocfabric_rx_desc, 16);
AT(ocfabric_rx_desc, flags, 1);
SIZE(ocfabric_cqe, 32);
AT(ocfabric_cqe, qpn, 4);
AT(ocfabric_cqe, index, 8);
AT(ocfabric_cqe, bytes, 12);
AT(ocfabric_cqe, clock, 24);
SIZE(ocfabric_owner, 64);
SIZE(ocfabric_event, 32);
SIZE(ocfabric_hw_reject, 64);
SIZE(ocfabric_hw_range, 16);
_Static_assert(OCFABRIC_COUNTERS == 17, "a counter came or went");
