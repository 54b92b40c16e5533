# SPDX-License-Identifier: GPL-2.0-only
#
# What runs for as long as it is told: TIME= seconds

# not the default that another target has for it
soak_time = $(if $(filter command environment,$(origin TIME)),$(TIME),600)
soak_needs := tools tests qemu guest-module-debug

## fuzz-guest: the guest's coverage-guided fuzzer for TIME= seconds (make fuzz ONLY=guest)
.PHONY: fuzz-guest
fuzz-guest: $(soak_needs)
	@selftests/fuzz-guest $(soak_time)

## soak: all that is hostile at once, for TIME= seconds (600), in a debug guest with two cards
.PHONY: soak
soak: $(soak_needs)
	@selftests/soak $(soak_time)
