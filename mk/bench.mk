# SPDX-License-Identifier: GPL-2.0-only

bench_src := $(wildcard selftests/bench/*.c)
benches := $(patsubst selftests/%.c,build/selftests/%,$(bench_src))

## bench: the benchmarks; a table, and build/bench.json
.PHONY: bench
bench: deps
	$(Q)$(MAKE) --no-print-directory tools qemu guest-module $(benches)
	$(Q)selftests/bench/run
