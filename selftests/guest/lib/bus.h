/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The card on its bus: what is known of it there stays true while it comes and goes
 */
#ifndef OCF_TEST_BUS_H
#define OCF_TEST_BUS_H

/* Looks up where the card of node_path() is, while it is there; 0 or -errno. */
int bus_find(void);
/* Its PCI address, once found */
const char *bus_address(void);
/* Gives it to the driver, and takes it away; 0 or -errno. */
int bus_bind(void);
int bus_unbind(void);
/* Writes a file of the device in sysfs; 0 or -errno. */
int bus_write(const char *file, const char *text);

#endif /* OCF_TEST_BUS_H */
