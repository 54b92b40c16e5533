# SPDX-License-Identifier: GPL-2.0-only

## check: all tests, on the host and in guests (ONLY='host/* guest/stock' for some)
.PHONY: check
check:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory tools tests build/san/linksim build/san/fabricctl build/san/ocf-workload qemu \
		guest-module guest-module-debug
	@selftests/check $(ONLY)
