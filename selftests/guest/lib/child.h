/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other processes: with other rights, holding things, and how they end
 */
#ifndef OCF_TEST_CHILD_H
#define OCF_TEST_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#define OTHER_UID	1000
#define OTHER_GID	1000
#define CARD_GID	4242	/* the node's group while a test lends it */

/*
 * Starts a child that runs fn and exits with what it returns (0..125). It dies
 * with its parent.
 */
pid_t child_start(int (*fn)(void *), void *arg);
/* Its exit status; 128 + signal; -ETIMEDOUT, and it is killed, after ms. */
int child_end(pid_t pid, unsigned int ms);
int child_kill(pid_t pid);

/* Becomes a user without capabilities; in the node's group or not. */
int become_other(bool in_group);
/* Such a user in the group, and root again: what is opened in between is the user's. */
int other_begin(void);
int other_end(void);
/*
 * What fn makes of the node that such a user, in its group, has opened: fn's answer,
 * a small number, of a process of its own; 100 and more if it did not come to that.
 */
int as_other(int (*fn)(int node));

/* A pair of connected sockets, for handles and for one-byte messages. */
int socket_pair(int sv[2]);
int send_fd(int socket, int fd);
int receive_fd(int socket);
int say(int socket);
/* Waits for the other's say(); 0, or -ETIMEDOUT after ms, or -EPIPE. */
int hear(int socket, unsigned int ms);

/* Lends the node to CARD_GID with mode 0660; returns what undoes it. */
struct node_owner { unsigned int uid, gid, mode; };
int node_lend(struct node_owner *old);
void node_return(const struct node_owner *old);

/* Whether touching p raises a signal: 0 or its number. Restores handlers. */
int touch_read(const volatile void *p);
int touch_write(volatile void *p);

int write_file(const char *path, const char *text);
/* Reads a line into text, without its newline. */
int read_line(const char *path, char *text, unsigned int size);

#endif /* OCF_TEST_CHILD_H */
