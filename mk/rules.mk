# SPDX-License-Identifier: GPL-2.0-only
#
# How C becomes objects: build/obj/DIR/FILE.o of DIR/FILE.c, and build/san/...
# with sanitizers. Flags of one folder: add to CFLAGS_<DIR>, as in
# CFLAGS_userspace/lib += -fPIC.

ifeq ($(origin CC),default)
CC := gcc
endif
CFLAGS ?= -O2 -g
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OCF_CFLAGS := -std=gnu11 -Wall -Wextra -Werror -Iuapi -Iqemu-device/model -Iuserspace

objs = $(patsubst %.c,build/obj/%.o,$(1))
san_objs = $(patsubst %.c,build/san/%.o,$(1))
say = $(if $(V),,@printf '  %-8s%s\n' $(1) $(2);)

dir_flags = $(CFLAGS_$(patsubst %/,%,$(dir $(1))))

build/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(OCF_CFLAGS) $(CFLAGS) $(call dir_flags,$<) -MMD -MP -c -o $@ $<

build/san/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC-SAN,$<)$(CC) $(OCF_CFLAGS) $(CFLAGS) $(SANITIZE) $(call dir_flags,$<) -MMD -MP -c -o $@ $<

# $(call program,NAME,OBJECTS,LIBRARIES): a rule for build/NAME
define program
build/$(1): $(2)
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)$$(CC) $$(CFLAGS) $$(LDFLAGS) -o $$@ $(2) $(3)
endef

define san_program
build/$(1): $(2)
	@mkdir -p $$(@D)
	$$(call say,LD-SAN,$$@)$$(CC) $$(CFLAGS) $$(SANITIZE) $$(LDFLAGS) -o $$@ $(2) $(3)
endef

-include $(shell find build/obj build/san -name '*.d' 2>/dev/null)

.SECONDARY:
