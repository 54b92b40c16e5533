/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events and sticky errors. All under the BQL. */
#include "qemu/osdep.h"
#include "hw/pci/msix.h"

#include "ocfabric.h"
#include "trace.h"

void ocf_interrupt(OcfState *s, unsigned int vector)
{
    bool inside = s->inside;

    if (s->gone || (unlikely(s->hostile.lies) && ocf_hostile_silent(s))) {
        return;
    }
    s->inside = true;
    msix_notify(PCI_DEVICE(s), vector);
    s->inside = inside;
}

static enum ocf_posted ocf_event_store(OcfState *s, struct ocfabric_event ev)
{
    bool inside = s->inside;
    enum ocf_posted post;

    s->inside = true;
    post = ocf_event_post(&s->events, &s->host, ev);
    s->inside = inside;
    return post;
}

void ocf_event(OcfState *s, struct ocfabric_event ev)
{
    ev.clock = cpu_to_le64(ocf_clock(s));
    if (unlikely(s->hostile.lies)) {
        ocf_hostile_event(s, &ev);
    }
    switch (ocf_event_store(s, ev)) {
    case OCF_POSTED:
        trace_ocfabric_event(ev.type, ev.link, ev.cause);
        ocf_interrupt(s, OCFABRIC_VECTOR_EVENTS);
        break;
    case OCF_POST_FAILED:
        /* of this error no event can tell */
        s->error |= OCFABRIC_ERROR_EVENT;
        break;
    case OCF_POST_LOST:
    case OCF_POST_OFF:
        break;
    }
}

void ocf_error(OcfState *s, uint32_t bits)
{
    uint32_t new = bits & ~s->error;
    struct ocfabric_event ev = {
        .type = OCFABRIC_EVENT_ERROR,
        .link = 0xff,
        .a = cpu_to_le32(new),
    };

    if (new) {
        s->error |= new;
        trace_ocfabric_error(new);
        ocf_event(s, ev);
    }
}
