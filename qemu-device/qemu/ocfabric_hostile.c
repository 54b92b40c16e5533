/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The property `hostile`, and where its lies come in. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/timer.h"

#include "ocfabric_hostile.h"

uint64_t ocf_lie_number(OcfState *s)
{
    static const uint64_t nasty[] = {
        0, 1, 15, 16, 17, 63, 64, 0xff, 0x100, 0xffff, 0x10000, 0xffffff,
        0x1000000, INT32_MAX, 0x80000000, UINT32_MAX - 1, INT64_MAX,
        UINT64_MAX - 1, UINT64_MAX,
    };
    /* numbers 1, 2, ... of a sequence, mixed: no state but the count */
    uint64_t x = qatomic_fetch_inc(&s->hostile.drawn) * 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    x ^= x >> 31;
    return x & 1 ? nasty[(x >> 1) % ARRAY_SIZE(nasty)] : x >> (x >> 1) % 60;
}

/* Whether this one is told now. */
static bool ocf_lies_by(const OcfState *s, unsigned int i)
{
    return s->hostile.lies >> i & 1;
}

uint64_t ocf_hostile_read(OcfState *s, uint32_t addr, uint64_t value)
{
    unsigned int i;

    for (i = 0; i < ocf_nr_lies; i++) {
        const OcfLie *lie = &ocf_lies[i];

        if (ocf_lies_by(s, i) && lie->read && addr >= lie->first &&
            addr <= lie->last) {
            value = lie->read(s, lie, value);
        }
    }
    return value;
}

void ocf_hostile_event(OcfState *s, struct ocfabric_event *ev)
{
    unsigned int i;

    for (i = 0; i < ocf_nr_lies; i++) {
        if (ocf_lies_by(s, i) && ocf_lies[i].event) {
            ocf_lies[i].event(s, ev);
        }
    }
}

bool ocf_hostile_silent(const OcfState *s)
{
    unsigned int i;

    for (i = 0; i < ocf_nr_lies; i++) {
        if (ocf_lies_by(s, i) && ocf_lies[i].silent) {
            return true;
        }
    }
    return false;
}

static void ocf_hostile_forge(void *opaque, unsigned int queue,
                              struct ocfabric_cqe *e)
{
    OcfState *s = opaque;
    unsigned int i;

    for (i = 0; i < ocf_nr_lies; i++) {
        if (ocf_lies_by(s, i) && ocf_lies[i].forge) {
            ocf_lies[i].forge(s, queue, e);
        }
    }
}

static void ocf_hostile_tick(void *opaque)
{
    OcfState *s = opaque;
    bool ticks = false;
    unsigned int i;

    for (i = 0; i < ocf_nr_lies; i++) {
        if (ocf_lies_by(s, i) && ocf_lies[i].tick) {
            ticks = true;
            if (!s->stopped) {
                ocf_lies[i].tick(s);
            }
        }
    }
    if (ticks) {
        timer_mod(s->hostile.timer,
                  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + OCF_LIE_NS);
    }
}

/* The lies are what the property says. BQL, the card is realized. */
static void ocf_hostile_apply(OcfState *s, uint64_t lies)
{
    bool forges = false;
    unsigned int i;

    for (i = 0; i < ocf_nr_lies; i++) {
        forges |= lies >> i & 1 && ocf_lies[i].forge;
    }
    ocf_halt(s);
    s->hostile.lies = lies;
    s->hostile.drawn = 1;
    s->host.forge = forges ? ocf_hostile_forge : NULL;
    ocf_go(s);
    ocf_hostile_tick(s);
}

void ocf_hostile_start(OcfState *s)
{
    s->hostile.timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, ocf_hostile_tick, s);
    ocf_hostile_apply(s, s->hostile.lies);
}

void ocf_hostile_stop(OcfState *s)
{
    s->hostile.lies = 0;
    timer_free(s->hostile.timer);
    s->hostile.timer = NULL;
}

/* ---- the property ---- */

static bool ocf_lie_find(const char *name, uint64_t *lies, Error **errp)
{
    unsigned int i;

    for (i = 0; i < ocf_nr_lies; i++) {
        if (!strcmp(name, ocf_lies[i].name)) {
            *lies |= 1ull << i;
            return true;
        }
    }
    error_setg(errp, "hostile: there is no lie '%s'; docs/hardware.md lists "
               "them, and '+' joins them", name);
    return false;
}

static void ocf_hostile_set(Object *obj, const char *value, Error **errp)
{
    OcfState *s = OCFABRIC(obj);
    g_auto(GStrv) names = g_strsplit(value, "+", -1);
    uint64_t lies = 0;
    unsigned int i;

    /* "" is no name at all */
    for (i = 0; names[i] && strcmp(value, "none"); i++) {
        if (!ocf_lie_find(names[i], &lies, errp)) {
            return;
        }
    }
    if (s->hostile.timer) {
        ocf_hostile_apply(s, lies);
    } else {
        s->hostile.lies = lies;
    }
}

static char *ocf_hostile_get(Object *obj, Error **errp)
{
    OcfState *s = OCFABRIC(obj);
    GString *names = g_string_new("");
    unsigned int i;

    for (i = 0; i < ocf_nr_lies; i++) {
        if (ocf_lies_by(s, i)) {
            g_string_append_printf(names, "%s%s", names->len ? "+" : "",
                                   ocf_lies[i].name);
        }
    }
    return g_string_free(names, false);
}

void ocf_hostile_class_init(ObjectClass *klass)
{
    object_class_property_add_str(klass, "hostile", ocf_hostile_get,
                                  ocf_hostile_set);
    object_class_property_set_description(klass, "hostile",
        "lies that the card tells its driver, joined by '+'");
}
