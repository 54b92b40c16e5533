# SPDX-License-Identifier: GPL-2.0-only
#
# selftests/guest/NAME.c is a test that runs in the guest, NAME a program;
# selftests/guest/lib is what they share. They are static and use nothing of
# libocfabric, but for its own test, library.c: a second user of the uapi, and the
# kselftest harness.

guest_test_src := $(wildcard selftests/guest/*.c)
guest_lib_src := $(filter-out %/layout.c,$(wildcard selftests/guest/lib/*.c))
guest_tests := $(patsubst %.c,build/%,$(guest_test_src))

.PHONY: tests
tests: $(guest_tests)

guest_flags := -D_GNU_SOURCE -isystem $(kselftest_dir) -Iselftests/guest/lib -Wno-sign-compare
CFLAGS_selftests/guest := $(guest_flags) $(lib_include)
CFLAGS_selftests/guest/lib := $(guest_flags)

$(call objs,$(guest_test_src)): | $(kselftest_dir)/kselftest_harness.h

$(guest_tests): build/%: build/obj/%.o $(call objs,$(guest_lib_src)) | build/selftests/guest/layout
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -static -pthread -o $@ $^

build/selftests/guest/library: build/libocfabric.a

# fabricctl for the guests whose kernels check themselves: scripts start it hundreds of
# times, and each shared object costs such a kernel some 50 ms. So what Debian has as an
# archive is linked in, at a fixed address. The stock guest runs the one that is installed.
archives = $(foreach l,$(1),$(if $(filter -lsmartcols -lm,$(l)),$(l),-Wl$(,)-Bstatic $(l) -Wl$(,)-Bdynamic))
, := ,
$(eval $(call program,guest/fabricctl,$(call objs,$(fabricctl_objs)) build/libocfabric.a,\
	-no-pie $$(call archives,$$(FABRICCTL_LIBS))))
tests: build/guest/fabricctl

# The structures must be the same for 32-bit programs: assertions, compiled only.
# The kernel's types are found by name: there need be no 32-bit libc.
build/selftests/guest/layout: selftests/guest/lib/layout.c $(wildcard uapi/linux/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$<)for bits in 64 32; do \
		$(CC) -m$$bits -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -Iuapi \
			-I/usr/include/$$($(CC) -print-multiarch) $<; \
	done
	@touch $@
