# SPDX-License-Identifier: GPL-2.0-only

## fuzz: the fuzzers, each for TIME= seconds (ONLY=one of them; KEEP=1: keep what they found)
.PHONY: fuzz
TIME ?= 60
fuzz: build/selftests/fuzz/device
	@selftests/fuzz/longer $(TIME) $(ONLY)
