// SPDX-License-Identifier: GPL-2.0-only
/* The steps of a change, applied to a draft one after the other. */
#include <linux/limits.h>
#include <linux/string.h>

#include "ocfabric.h"

/**
 * ocf_refuse - say what is wrong with a step
 * @draft: the draft
 * @step: the step at fault
 * @error: negative errno
 * @fmt: what, where, what was expected; at most 79 characters
 *
 * Return: @error.
 */
int ocf_refuse(struct ocf_draft *draft, u32 step, int error, const char *fmt,
	       ...)
{
	va_list args;

	draft->refusal->step = step;
	va_start(args, fmt);
	vsnprintf(draft->refusal->reason, sizeof(draft->refusal->reason), fmt,
		  args);
	va_end(args);
	return error;
}

static int ocf_check_id(struct ocf_draft *draft, const char *what, u32 id)
{
	if (id < OCFABRIC_REPLICAS_MAX)
		return 0;
	return ocf_refuse(draft, draft->step, -EINVAL, "%s %u: expected 0 to %u",
			  what, id, OCFABRIC_REPLICAS_MAX - 1);
}

static int ocf_step_reset(struct ocf_draft *draft,
			  const struct ocfabric_change *step)
{
	ocf_config_clear(draft->config);
	memset(draft->region_step, 0, sizeof(draft->region_step));
	memset(draft->peer_step, 0, sizeof(draft->peer_step));
	return 0;
}

static int ocf_step_replicas(struct ocf_draft *draft,
			     const struct ocfabric_change *step)
{
	u32 max = draft->card->caps.replicas;

	if (step->value < OCFABRIC_REPLICAS_MIN || step->value > max)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "%llu replicas: expected %u to %u",
				  step->value, OCFABRIC_REPLICAS_MIN, max);
	draft->config->replicas = step->value;
	return 0;
}

static int ocf_step_region(struct ocf_draft *draft,
			   const struct ocfabric_change *step)
{
	int ret = ocf_check_id(draft, "region", step->src);

	if (ret)
		return ret;
	draft->config->region[step->src] = (struct ocfabric_region){
		.base = step->offset,
		.length = step->length,
	};
	draft->region_step[step->src] = draft->step + 1;
	return 0;
}

static int ocf_step_latency(struct ocf_draft *draft,
			    const struct ocfabric_change *step)
{
	if (step->value > U32_MAX)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "latency %llu: expected at most %u cycles",
				  step->value, U32_MAX);
	draft->config->latency = step->value;
	return 0;
}

static int ocf_step_upstream_qpns(struct ocf_draft *draft,
				  const struct ocfabric_change *step)
{
	if (step->value > 1)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "upstream_qpns %llu: expected 0 or 1",
				  step->value);
	draft->config->upstream_qpns = step->value;
	return 0;
}

static int ocf_step_connections_default(struct ocf_draft *draft,
					const struct ocfabric_change *step)
{
	struct ocf_config *config = draft->config;
	u32 n = config->replicas;
	u32 link, r;

	memset(config->peer, OCFABRIC_PEER_NONE, sizeof(config->peer));
	memset(draft->peer_step, 0, sizeof(draft->peer_step));
	for (link = 0; link < n; link++)
		for (r = 0; r < n - 1; r++)
			config->peer[link][(n - 1) * link + r] =
				r < link ? r : r + 1;
	return 0;
}

/* What it may name depends on n at the end; judge.c looks at it again. */
static int ocf_step_connection(struct ocf_draft *draft,
			       const struct ocfabric_change *step)
{
	u32 n = draft->config->replicas;
	bool fine;
	int ret;

	ret = ocf_check_id(draft, "link", step->src);
	if (!ret && step->dst != OCFABRIC_PEER_NONE)
		ret = ocf_check_id(draft, "peer", step->dst);
	if (ret)
		return ret;
	if (step->qpn >= OCFABRIC_QPNS)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "QPN %u: expected 0 to %u", step->qpn,
				  OCFABRIC_QPNS - 1);
	fine = step->dst == OCFABRIC_PEER_NONE ||
	       (step->src < n && step->dst < n && step->src != step->dst);
	draft->config->peer[step->src][step->qpn] = step->dst;
	draft->peer_step[step->src][step->qpn] = fine ? 0 : draft->step + 1;
	return 0;
}

static struct ocf_window *ocf_find_window(struct ocf_config *config,
					  const struct ocf_window *window)
{
	struct ocf_window *w = config->window;
	struct ocf_window *end = w + config->window_count;

	for (; w < end; w++) {
		if (ocf_window_same(w, window))
			return w;
	}
	return NULL;
}

static int ocf_check_semaphores(struct ocf_draft *draft,
				const struct ocfabric_change *step)
{
	u32 first = step->sem_first, count = step->sem_count;

	if (first && !count)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "window with first semaphore %u, but no count of them",
				  first);
	if (count > OCFABRIC_SEMAPHORES || first > OCFABRIC_SEMAPHORES - count)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "window with %u semaphores from %u on: a replica has %u",
				  count, first, OCFABRIC_SEMAPHORES);
	return 0;
}

/* The window that a step names. */
static int ocf_step_window(struct ocf_draft *draft,
			   const struct ocfabric_change *step,
			   struct ocf_window *window)
{
	int ret;

	ret = ocf_check_id(draft, "window source", step->src);
	if (!ret)
		ret = ocf_check_id(draft, "window destination", step->dst);
	if (!ret)
		ret = ocf_check_semaphores(draft, step);
	if (ret)
		return ret;
	*window = (struct ocf_window){
		.src = step->src,
		.dst = step->dst,
		.offset = step->offset,
		.length = step->length,
		.sem_first = step->sem_first,
		.sem_count = step->sem_count,
	};
	return 0;
}

static int ocf_step_window_add(struct ocf_draft *draft,
			       const struct ocfabric_change *step)
{
	struct ocf_config *config = draft->config;
	struct ocf_window window;
	int ret = ocf_step_window(draft, step, &window);

	if (ret)
		return ret;
	if (ocf_find_window(config, &window))
		return 0;
	if (WARN_ON_ONCE(config->window_count == draft->window_room))
		return -EIO;
	window.late = window.src >= config->replicas ||
		      window.dst >= config->replicas;
	window.step = draft->step + 1;
	config->window[config->window_count++] = window;
	return 0;
}

static int ocf_no_window(struct ocf_draft *draft, const struct ocf_window *w)
{
	if (!w->sem_count)
		return ocf_refuse(draft, draft->step, -ENOENT,
				  "no window %u->%u offset 0x%llx length 0x%llx",
				  w->src, w->dst, w->offset, w->length);
	return ocf_refuse(draft, draft->step, -ENOENT,
			  "no window %u->%u 0x%llx+0x%llx sem %u-%u",
			  w->src, w->dst, w->offset, w->length, w->sem_first,
			  w->sem_first + w->sem_count - 1);
}

static int ocf_step_window_del(struct ocf_draft *draft,
			       const struct ocfabric_change *step)
{
	struct ocf_config *config = draft->config;
	struct ocf_window window;
	int ret = ocf_step_window(draft, step, &window);
	struct ocf_window *w;

	if (ret)
		return ret;
	w = ocf_find_window(config, &window);
	if (!w)
		return ocf_no_window(draft, &window);
	config->window_count--;
	memmove(w, w + 1, (config->window + config->window_count - w) *
		sizeof(*w));
	return 0;
}

/* The HBM line of a region's byte, as the region is now. */
static int ocf_fault_line(struct ocf_draft *draft,
			  const struct ocfabric_change *step, u64 *line)
{
	const struct ocfabric_region *r;
	int ret;

	if (!(draft->card->caps.features & OCFABRIC_FEATURE_FAULTS))
		return ocf_refuse(draft, draft->step, -EOPNOTSUPP,
				  "this card injects no faults (feature bit 0)");
	ret = ocf_check_id(draft, "fault in region", step->dst);
	if (ret)
		return ret;
	r = &draft->config->region[step->dst];
	if (step->offset >= r->length)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "fault at 0x%llx: region %u has 0x%llx bytes",
				  step->offset, step->dst, r->length);
	*line = round_down(r->base + step->offset, OCFABRIC_LINE);
	return 0;
}

/* Where the fault of this line is, or would be: they are sorted by it. */
static u32 ocf_fault_place(const struct ocf_config *config, u64 line)
{
	u32 low = 0, high = config->fault_count;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (config->fault[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool ocf_fault_at(const struct ocf_config *config, u32 i, u64 line)
{
	return i < config->fault_count && config->fault[i].line == line;
}

/* The entry of this line; made if it is not there. */
static struct ocf_fault *ocf_fault_entry(struct ocf_draft *draft, u64 line)
{
	struct ocf_config *config = draft->config;
	u32 i = ocf_fault_place(config, line);
	struct ocf_fault *f = config->fault + i;

	if (ocf_fault_at(config, i, line))
		return f;
	if (WARN_ON_ONCE(config->fault_count == draft->fault_room))
		return NULL;
	memmove(f + 1, f, (config->fault_count - i) * sizeof(*f));
	config->fault_count++;
	draft->fault_step = draft->step + 1;
	*f = (struct ocf_fault){ .line = line };
	return f;
}

static void ocf_fault_drop(struct ocf_config *config, struct ocf_fault *f)
{
	config->fault_count--;
	memmove(f, f + 1, (config->fault + config->fault_count - f) *
		sizeof(*f));
}

/* Sets what the step names; a line with neither needs no entry. */
static int ocf_fault_set(struct ocf_draft *draft,
			 const struct ocfabric_change *step)
{
	struct ocf_fault *f;
	u64 line;
	int ret;

	ret = ocf_fault_line(draft, step, &line);
	if (ret)
		return ret;
	f = ocf_fault_entry(draft, line);
	if (!f)
		return -EIO;
	if (step->op == OCFABRIC_CHANGE_FAULT_RESP)
		f->resp = step->value;
	else
		f->delay = step->value;
	if (!f->resp && !f->delay)
		ocf_fault_drop(draft->config, f);
	return 0;
}

static int ocf_step_fault_resp(struct ocf_draft *draft,
			       const struct ocfabric_change *step)
{
	if (step->value != OCFABRIC_RESP_OKAY &&
	    step->value != OCFABRIC_RESP_SLVERR &&
	    step->value != OCFABRIC_RESP_DECERR)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "response %llu: expected 0, 2 or 3",
				  step->value);
	return ocf_fault_set(draft, step);
}

static int ocf_step_fault_delay(struct ocf_draft *draft,
				const struct ocfabric_change *step)
{
	if (step->value > U32_MAX)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "delay %llu: expected at most %u cycles",
				  step->value, U32_MAX);
	return ocf_fault_set(draft, step);
}

static int ocf_step_fault_clear(struct ocf_draft *draft,
				const struct ocfabric_change *step)
{
	struct ocf_config *config = draft->config;
	u64 line;
	int ret;
	u32 i;

	ret = ocf_fault_line(draft, step, &line);
	if (ret)
		return ret;
	i = ocf_fault_place(config, line);
	if (ocf_fault_at(config, i, line))
		ocf_fault_drop(config, &config->fault[i]);
	return 0;
}

static int ocf_step_counters_reset(struct ocf_draft *draft,
				   const struct ocfabric_change *step)
{
	draft->counters_reset = true;
	return 0;
}

static int ocf_step_hbm_clear(struct ocf_draft *draft,
			      const struct ocfabric_change *step)
{
	draft->hbm_clear = true;
	return 0;
}

/* Fields of struct ocfabric_change that a step uses; others must be 0. */
#define OCF_SRC		BIT(0)
#define OCF_DST		BIT(1)
#define OCF_QPN		BIT(2)
#define OCF_VALUE	BIT(3)
#define OCF_OFFSET	BIT(4)
#define OCF_LENGTH	BIT(5)
#define OCF_SEMAPHORES	BIT(6)
#define OCF_WINDOW	(OCF_SRC | OCF_DST | OCF_OFFSET | OCF_LENGTH | \
			 OCF_SEMAPHORES)

static const struct ocf_step_op {
	int (*apply)(struct ocf_draft *draft,
		     const struct ocfabric_change *step);
	u32 fields;
} ocf_step_ops[] = {
	[OCFABRIC_CHANGE_RESET] = { ocf_step_reset, 0 },
	[OCFABRIC_CHANGE_REPLICAS] = { ocf_step_replicas, OCF_VALUE },
	[OCFABRIC_CHANGE_REGION] = {
		ocf_step_region, OCF_SRC | OCF_OFFSET | OCF_LENGTH },
	[OCFABRIC_CHANGE_LATENCY] = { ocf_step_latency, OCF_VALUE },
	[OCFABRIC_CHANGE_UPSTREAM_QPNS] = { ocf_step_upstream_qpns, OCF_VALUE },
	[OCFABRIC_CHANGE_CONNECTIONS_DEFAULT] = {
		ocf_step_connections_default, 0 },
	[OCFABRIC_CHANGE_CONNECTION] = {
		ocf_step_connection, OCF_SRC | OCF_DST | OCF_QPN },
	[OCFABRIC_CHANGE_WINDOW_ADD] = { ocf_step_window_add, OCF_WINDOW },
	[OCFABRIC_CHANGE_WINDOW_DEL] = { ocf_step_window_del, OCF_WINDOW },
	[OCFABRIC_CHANGE_FAULT_RESP] = {
		ocf_step_fault_resp, OCF_DST | OCF_OFFSET | OCF_VALUE },
	[OCFABRIC_CHANGE_FAULT_DELAY] = {
		ocf_step_fault_delay, OCF_DST | OCF_OFFSET | OCF_VALUE },
	[OCFABRIC_CHANGE_FAULT_CLEAR] = {
		ocf_step_fault_clear, OCF_DST | OCF_OFFSET },
	[OCFABRIC_CHANGE_COUNTERS_RESET] = { ocf_step_counters_reset, 0 },
	[OCFABRIC_CHANGE_HBM_CLEAR] = { ocf_step_hbm_clear, 0 },
};

static u32 ocf_step_fields(const struct ocfabric_change *step)
{
	return (step->src ? OCF_SRC : 0) | (step->dst ? OCF_DST : 0) |
	       (step->qpn ? OCF_QPN : 0) | (step->value ? OCF_VALUE : 0) |
	       (step->offset ? OCF_OFFSET : 0) |
	       (step->length ? OCF_LENGTH : 0) |
	       (step->sem_first || step->sem_count ? OCF_SEMAPHORES : 0);
}

/* A step's own values are looked at here; how they fit together, in judge.c. */
int ocf_draft_apply(struct ocf_draft *draft, const struct ocfabric_change *step)
{
	const struct ocf_step_op *op;

	if (step->op >= ARRAY_SIZE(ocf_step_ops) ||
	    !ocf_step_ops[step->op].apply)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "step %u has operation %u, which is unknown",
				  draft->step, step->op);
	op = &ocf_step_ops[step->op];
	if (ocf_step_fields(step) & ~op->fields)
		return ocf_refuse(draft, draft->step, -EINVAL,
				  "step %u: a field that operation %u has no use for is not 0",
				  draft->step, step->op);
	return op->apply(draft, step);
}
