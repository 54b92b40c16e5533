// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ping: whether a connection leads to its peer
 *
 * By adding 0 to one of the peer's semaphores: that is a write like any other
 * to the card's checks, and changes nothing there, whoever the peer is.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "explain.h"
#include "place.h"
#include "traffic.h"

#define COUNT		5
#define INTERVAL_MS	100
#define ANSWER_NS	(2 * NS_PER_S)
#define SPIN_NS		NS_PER_MS

struct ping {
	struct ctl *ctl;
	const struct card *card;
	const struct config *config;
	struct ocf_replica *r;
	unsigned int link;
	unsigned int peer;
	uint32_t qpn;
	uint32_t sem;
	uint64_t sent;
	uint64_t committed;
	double *ns;		/* of those that were committed */
	struct json_object *tries;
};

/* ---- which connection --------------------------------------------------- */

static bool inherits(void)
{
	const char *fd = getenv("OCF_FD");

	return fd && *fd;
}

static bool leads_somewhere(const struct ping *ping, unsigned int link)
{
	const struct args *args = &ping->ctl->args;
	unsigned int peer;

	if (args->given[P_PEER])
		return qpn_to(ping->config, link, (unsigned int)args->value[P_PEER]) >= 0;
	for (peer = 0; peer < ping->config->replicas; peer++)
		if (qpn_to(ping->config, link, peer) >= 0)
			return true;
	return false;
}

/* The one that was named, else the first free one that leads anywhere. */
static int pick_link(struct ping *ping)
{
	uint32_t owners;
	int error;

	if (ping->ctl->args.given[P_LINK]) {
		ping->link = (unsigned int)ping->ctl->args.value[P_LINK];
		return 0;
	}
	error = read_owners(ping->ctl, ping->card, &owners);
	if (error)
		return error;
	for (ping->link = 0; ping->link < ping->config->replicas; ping->link++)
		if (!(owners & 1u << ping->link) && leads_somewhere(ping, ping->link))
			return 0;
	return fail(ST_REFUSED, "%s has no free replica with such a connection (fabricctl show replicas, fabricctl show connections)",
		    ping->card->name);
}

static int pick_qpn(struct ping *ping)
{
	const struct args *args = &ping->ctl->args;
	unsigned int i;
	int qpn = -1;

	if (args->given[P_QPN]) {
		ping->qpn = (uint32_t)args->value[P_QPN];
		ping->peer = ping->qpn < OCFABRIC_QPNS ?
			     ping->config->peer[ping->link][ping->qpn] :
			     OCFABRIC_PEER_NONE;
		if (args->given[P_PEER] && ping->peer != args->value[P_PEER])
			return fail(ST_USAGE, "link %u QPN %u does not lead to replica %llu (fabricctl show map)",
				    ping->link, ping->qpn,
				    (unsigned long long)args->value[P_PEER]);
		return 0;
	}
	for (i = 0; i < OCFABRIC_REPLICAS_MAX && qpn < 0; i++) {
		ping->peer = args->given[P_PEER] ?
			     (unsigned int)args->value[P_PEER] : i;
		qpn = qpn_to(ping->config, ping->link, ping->peer);
	}
	if (qpn >= 0) {
		ping->qpn = (uint32_t)qpn;
		return 0;
	}
	if (args->given[P_PEER])
		return fail(ST_REFUSED, "link %u has no connection to replica %u: fabricctl set connection link %u qpn Q peer %u",
			    ping->link, ping->peer, ping->link, ping->peer);
	return fail(ST_REFUSED, "link %u has no connection: fabricctl set connections default",
		    ping->link);
}

/* One that a window allows; without any, the card is asked all the same. */
static void pick_semaphore(struct ping *ping)
{
	unsigned int i;

	ping->sem = OCFABRIC_SEMAPHORES - 1;
	for (i = 0; i < ping->config->nr_windows; i++) {
		const struct ocfabric_window *w = &ping->config->window[i];

		if (w->src != ping->link || w->dst != ping->peer || !w->sem_count)
			continue;
		ping->sem = w->sem_first + w->sem_count - 1;
		return;
	}
}

static int check_config(const struct ping *ping)
{
	const struct args *args = &ping->ctl->args;
	int error = check_below(ping->card, args, P_LINK, "link",
				ping->card->max_replicas);

	if (!error)
		error = check_below(ping->card, args, P_PEER, "replica",
				    ping->card->max_replicas);
	if (error)
		return error;
	if (!ping->config->replicas)
		return fail(ST_REFUSED, "%s is not configured: fabricctl apply FILE, or fabricctl set replicas, set region, set connections default, add window",
			    ping->card->name);
	if (ping->config->drained)
		return fail(ST_REFUSED, "%s is drained by %s, so that no write would end: fabricctl resume first",
			    ping->card->name, ping->config->drained_by);
	return 0;
}

/* ---- the replica -------------------------------------------------------- */

static int attach_fresh(struct ping *ping, struct ocf_device **dev)
{
	int error = pick_link(ping);

	if (error)
		return error;
	*dev = open_card(ping->card, &error);
	if (!*dev)
		return error;
	ping->r = ocf_attach(*dev, ping->link, NULL);
	if (ping->r)
		return 0;
	return attach_failed(ping->ctl, ping->card, ping->link, errno,
			     "; only from its own handle can it be pinged: see fabricctl help exec");
}

/* In a program of exec or launch: as the replica that it is. */
static int attach_inherited(struct ping *ping, struct ocf_device **dev)
{
	const struct args *args = &ping->ctl->args;
	int error;

	*dev = ocf_open(NULL);
	ping->r = *dev ? ocf_attach(*dev, OCF_REPLICA_ANY, NULL) : NULL;
	if (!ping->r) {
		error = errno;
		return fail(status_of(error), "the replica handle of OCF_FD: %s",
			    ocf_error());
	}
	ping->link = ocf_replica_id(ping->r);
	if (strcmp(ocf_device_name(*dev), ping->card->name))
		return fail(ST_USAGE, "OCF_FD is a handle of %s, not of %s",
			    ocf_device_name(*dev), ping->card->name);
	if (args->given[P_LINK] && args->value[P_LINK] != ping->link)
		return fail(ST_USAGE, "OCF_FD is the handle of replica %u, not of %llu",
			    ping->link, (unsigned long long)args->value[P_LINK]);
	return 0;
}

/* ---- one try ------------------------------------------------------------ */

static int take_completion(struct ping *ping, struct ocf_completion *c)
{
	int64_t limit = now_ns() + ANSWER_NS, spin = now_ns() + SPIN_NS;
	int error;

	if (limit > ping->ctl->deadline)
		limit = ping->ctl->deadline;
	while (!ocf_poll(ping->r, c, 1)) {
		if (caught_signal)
			return -EINTR;
		if (now_ns() < spin)
			continue;
		error = ocf_wait(ping->r, limit - now_ns() > 0 ? limit - now_ns() : 0);
		if (error && !(error == -EINTR && !caught_signal))
			return error;
	}
	return 0;
}

static void put_try(struct ping *ping, const char *verdict, int64_t ns, bool good)
{
	struct json_object *row;

	if (!ping->ctl->json) {
		printf("%s link %u qpn %u peer ", ping->card->name, ping->link,
		       ping->qpn);
		if (ping->peer == OCFABRIC_PEER_NONE)
			printf("- ");
		else
			printf("%u ", ping->peer);
		printf("sem %u seq %llu %s", ping->sem,
		       (unsigned long long)ping->sent - 1, verdict);
		if (good)
			printf(" %lld ns", (long long)ns);
		putchar('\n');
		fflush(stdout);
		return;
	}
	row = json_object_new_object();
	put_number(row, "seq", ping->sent - 1);
	put_string(row, "verdict", verdict);
	if (good)
		put_number(row, "ns", (uint64_t)ns);
	else
		put_null(row, "ns");
	json_object_array_add(ping->tries, row);
}

static int one_try(struct ping *ping)
{
	struct ocf_completion c;
	int64_t start, ns;
	int error;
	bool good;

	start = now_ns();
	error = ocf_post_sem_remote(ping->r, ping->qpn, ping->sem, 0, 0);
	if (error < 0)
		return fail(ST_REFUSED, "posting: %s", strerror(-error));
	ocf_ring(ping->r);
	error = take_completion(ping, &c);
	ns = now_ns() - start;
	if (error)
		return wait_failed(ping->r, error);
	good = c.status == OCFABRIC_VERDICT_COMMITTED;
	ping->sent++;
	if (good)
		ping->ns[ping->committed++] = (double)ns;
	put_try(ping, ocf_verdict_name(c.status), ns, good);
	return 0;
}

/* Ends early when a signal comes. */
static void pause_ms(uint64_t ms)
{
	struct timespec t = { .tv_sec = (time_t)(ms / 1000),
			      .tv_nsec = (long)(ms % 1000) * NS_PER_MS };

	if (ms && !caught_signal)
		nanosleep(&t, NULL);
}

static int all_tries(struct ping *ping)
{
	const struct args *args = &ping->ctl->args;
	uint64_t count = args->given[P_COUNT] ? args->value[P_COUNT] : COUNT;
	uint64_t interval = args->given[P_INTERVAL] ? args->value[P_INTERVAL] :
						      INTERVAL_MS;
	int error = 0;

	ping->ns = calloc(count, sizeof(*ping->ns));
	if (!ping->ns)
		return fail(ST_REFUSED, "no memory for %llu tries",
			    (unsigned long long)count);
	while (!error && ping->sent < count && !caught_signal) {
		if (ping->sent)
			pause_ms(interval);
		if (now_ns() >= ping->ctl->deadline)
			error = fail(ST_TIMEOUT, "the time limit passed");
		else if (!caught_signal)
			error = one_try(ping);
	}
	return error;
}

/* ---- the end ------------------------------------------------------------ */

static void explain_failure(const struct ping *ping)
{
	struct ocf_write write = {
		.qpn = ping->qpn, .sem = (uint16_t)ping->sem, .kind = OCF_KIND_SEM,
	};
	const char *verdict;
	char advice[1024];

	if (!explain_write(ping->ctl, ping->card, ping->config, ping->link, &write,
			   &verdict, advice, sizeof(advice)) && advice[0])
		fail(0, "%s: %s", verdict, advice);
}

static void print_summary_text(const struct ping *ping, const struct spread *s)
{
	printf("%llu sent, %llu committed, %llu failed",
	       (unsigned long long)ping->sent, (unsigned long long)ping->committed,
	       (unsigned long long)(ping->sent - ping->committed));
	if (ping->committed)
		printf(", min/avg/max/stdev %.0f/%.0f/%.0f/%.0f ns", s->min,
		       s->mean, s->max, s->deviation);
	putchar('\n');
}

static int print_json_summary(struct ping *ping, const struct spread *s)
{
	static const char *const keys[] = {
		"min_ns", "avg_ns", "max_ns", "stdev_ns" };
	const double values[] = { s->min, s->mean, s->max, s->deviation };
	struct json_object *rows = json_object_new_array();
	struct json_object *row = add_row(rows, ping->card);
	unsigned int i;

	put_number(row, "link", ping->link);
	put_number(row, "qpn", ping->qpn);
	if (ping->peer == OCFABRIC_PEER_NONE)
		put_null(row, "peer");
	else
		put_number(row, "peer", ping->peer);
	put_number(row, "sem", ping->sem);
	put_number(row, "sent", ping->sent);
	put_number(row, "committed", ping->committed);
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (ping->committed)
			put_number(row, keys[i], (uint64_t)llround(values[i]));
		else
			put_null(row, keys[i]);
	json_object_object_add(row, "tries", ping->tries);
	ping->tries = NULL;
	return print_document(ping->ctl, "ping", rows);
}

/* Being unreachable is a result too: it is printed. */
static int summarize(struct ping *ping)
{
	struct spread spread = { 0 };
	int error;

	if (ping->committed)
		spread_of(ping->ns, ping->committed, &spread);
	if (ping->ctl->json) {
		error = print_json_summary(ping, &spread);
	} else {
		print_summary_text(ping, &spread);
		error = end_output();
	}
	if (error || ping->committed == ping->sent)
		return error;
	explain_failure(ping);
	return ST_REFUSED;
}

static int ping_card(struct ping *ping)
{
	struct ocf_device *dev = NULL;
	int error = check_config(ping);

	if (!error)
		error = inherits() ? attach_inherited(ping, &dev) :
				     attach_fresh(ping, &dev);
	if (!error)
		error = pick_qpn(ping);
	if (!error) {
		pick_semaphore(ping);
		error = all_tries(ping);
	}
	if (!error)
		error = summarize(ping);
	ocf_detach(ping->r);
	ocf_close(dev);
	return error;
}

int run_ping(struct ctl *ctl)
{
	struct ping ping = { .ctl = ctl, .card = &ctl->cards[0] };
	struct config config;
	int error;

	catch_signals();
	catch_bus_errors();
	error = config_read(ctl, ping.card, &config);
	if (error)
		return error;
	ping.config = &config;
	ping.tries = json_object_new_array();
	error = ping_card(&ping);
	json_object_put(ping.tries);
	free(ping.ns);
	config_free(&config);
	return error;
}
