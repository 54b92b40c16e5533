# SPDX-License-Identifier: GPL-2.0-only

## fuzz: all fuzzers, for TIME= seconds together (600; ONLY=one of them; KEEP=1: keep what they found)
.PHONY: fuzz
fuzz: build/selftests/fuzz/device $(if $(filter-out guest,$(ONLY)),,$(soak_needs))
	@selftests/fuzz/longer $(soak_time) $(ONLY)
