# SPDX-License-Identifier: GPL-2.0-only

## bench: the benchmarks; a table, and build/bench.json
.PHONY: bench
bench:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory tools qemu guest-module benches
	$(Q)selftests/bench/run
