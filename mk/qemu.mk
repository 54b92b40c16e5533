# SPDX-License-Identifier: GPL-2.0-only

## qemu: QEMU with the card (kept in a cache outside this tree)
.PHONY: qemu
qemu:
	@mkdir -p build
	$(Q)out=$$(qemu-device/build) && ln -sfn "$$out" build/qemu
