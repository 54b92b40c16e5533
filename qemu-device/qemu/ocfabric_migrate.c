/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "migration/vmstate.h"

#include "ocfabric.h"

const VMStateDescription ocf_vmstate = {
    .name = "ocfabric",
    .unmigratable = 1,
};
