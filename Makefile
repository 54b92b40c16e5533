# SPDX-License-Identifier: GPL-2.0-only
#
# ocfabric: targets are in mk/*.mk; 'make help' lists them. V=1 shows commands.

MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash
.SHELLFLAGS := -e -o pipefail -c
.DELETE_ON_ERROR:

top := $(CURDIR)
Q := $(if $(V),,@)
export V

PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: all
all: tools modules

include mk/rules.mk
include mk/deps.mk
include mk/model.mk
include mk/linksim.mk
include mk/userspace.mk
include mk/driver.mk
include mk/qemu.mk
include mk/guest.mk
include mk/bench.mk
include mk/selftests.mk
include mk/guest-tests.mk
include mk/check.mk
include mk/soak.mk
include mk/fuzz.mk

.PHONY: help
help:
	@sed -n 's/^## \([^:]*\): */  \1\t/p' Makefile mk/*.mk | expand -t 20

## clean: removes what the build made in this tree (not the cache)
.PHONY: clean
clean:
	$(Q)rm -rf build
