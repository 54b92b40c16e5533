# SPDX-License-Identifier: GPL-2.0-only
#
# Benchmarks of one file are made as selftests.mk says. build/selftests/bench/card,
# which measures the card in a guest, is made of the files of its folder, and so is
# build/selftests/bench/fabric, which measures many replicas at once.

bench_card_src := $(wildcard selftests/bench/card/*.c)

bench_fabric_src := $(wildcard selftests/bench/fabric/*.c) \
	$(addprefix selftests/bench/card/,clock.c fail.c samples.c)

CFLAGS_selftests/bench/card += -D_GNU_SOURCE $(lib_include)
CFLAGS_selftests/bench/fabric += -D_GNU_SOURCE $(lib_include)

$(eval $(call program,selftests/bench/card,$(call objs,$(bench_card_src)) build/libocfabric.a))
$(eval $(call program,selftests/bench/fabric,$(call objs,$(bench_fabric_src)) build/libocfabric.a))

benches: build/selftests/bench/card build/selftests/bench/fabric

## bench: the benchmarks; a table, and build/bench.json
.PHONY: bench
bench:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory tools qemu guest-module benches
	$(Q)selftests/bench/run
