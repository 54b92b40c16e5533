# SPDX-License-Identifier: GPL-2.0-only
#
# Run by selftests/fuzz/build in a copy of the sources. Each selftests/fuzz/NAME.c is
# a target; it is linked to what it calls of the archives.

SHELL := /bin/bash
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
CC := clang
LIBS := libnl-genl-3.0 json-c smartcols zlib

CFLAGS := -O1 -g -std=gnu11 -D_GNU_SOURCE -DVERSION='"0"' \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -Iuapi -Iqemu-device/model -Iuserspace \
	-Iuserspace/lib/include -Iselftests/host -Iselftests/lib -Iselftests/fuzz \
	$(shell pkg-config --cflags $(LIBS))

src := $(wildcard selftests/fuzz/*.c)
targets := $(patsubst selftests/fuzz/%.c,$(OUT)/%,$(src))
parts := $(filter-out %/main.c,$(wildcard qemu-device/model/*.c userspace/fabricctl/*.c \
	userspace/scenario/*.c userspace/lib/*.c)) \
	selftests/host/machine.c selftests/host/fake.c selftests/lib/tap.c
obj = $(patsubst %.c,$(OUT)/obj/%.o,$(1))

all: $(targets)

# the tables of fabricctl are found by nobody who does not ask for them
$(OUT)/obj/parts.a: $(call obj,$(parts))
	rm -f $@
	ar rcs $@ $^

$(OUT)/obj/%.o: %.c
	mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

$(targets): $(OUT)/%: $(OUT)/obj/selftests/fuzz/%.o $(OUT)/obj/parts.a
	$(CC) -fsanitize=fuzzer,address,undefined -o $@ $^ \
		$$(pkg-config --libs $(LIBS)) -lm -lz

-include $(shell find $(OUT) -name '*.d')

.SECONDARY:
