# SPDX-License-Identifier: GPL-2.0-only
#
# Benchmarks of one file are made as selftests.mk says. build/selftests/bench/card,
# which measures the card in a guest, is made of the files of its folder.

bench_card_src := $(wildcard selftests/bench/card/*.c)

CFLAGS_selftests/bench/card += -D_GNU_SOURCE $(lib_include)

$(eval $(call program,selftests/bench/card,$(call objs,$(bench_card_src)) build/libocfabric.a))

benches: build/selftests/bench/card

## bench: the benchmarks; a table, and build/bench.json
.PHONY: bench
bench:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory tools qemu guest-module benches
	$(Q)selftests/bench/run
