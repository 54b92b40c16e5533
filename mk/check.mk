# SPDX-License-Identifier: GPL-2.0-only

## check: all tests, on the host and in guests (ONLY='host/* guest/stock' for some)
.PHONY: check
check:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory tools tests build/san/linksim build/san/fabricctl build/san/ocf-workload qemu \
		guest-module guest-module-debug
	@selftests/check $(ONLY)

## check-kcsan: the guest's tests on a kernel that looks for data races of the driver
.PHONY: check-kcsan
check-kcsan:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory tools tests qemu guest-module-kcsan
	@LANES=1 selftests/check guest/kcsan
