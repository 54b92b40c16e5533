# SPDX-License-Identifier: GPL-2.0-only
#
# CMD and the rest (CARD, GUEST_MEM, GUEST_CPUS, KERNEL, QEMU_ARGS, LOAD, ROOT,
# GUEST_TIMEOUT, GUEST_QMP, GUEST_APPEND, GUEST_DIR) go by the environment, where
# make puts what is said on its command line. Naming them in an export would make
# them empty where nobody set them.

guest_needs := tools qemu $(if $(filter 0,$(LOAD)),,guest-module)

## guest: boots a guest, runs CMD='...' in it and ends with its status
.PHONY: guest
guest: $(guest_needs)
	$(Q)[ -n "$$CMD" ] || { echo "guest: say what to run: make guest CMD='...', or make shell" >&2; exit 2; }
	@qemu-device/guest "$$CMD"

## shell: a shell in a guest
.PHONY: shell
shell: $(guest_needs)
	@qemu-device/guest

## run: installs what is missing, builds all, replays a scenario on the card in a guest, prints its counters
.PHONY: run
run:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory guest CMD='fabricctl replay selftests/scenarios/basic.scn && fabricctl show counters'
