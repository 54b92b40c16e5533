# SPDX-License-Identifier: GPL-2.0-only
#
# A C file in selftests/{host,qtest,bench} is a program of its name,
# build/selftests/DIR/NAME, unless there is a header of the same name beside it:
# then it is linked to all programs of that folder. Files in selftests/lib are for
# host tests and qtests. Host tests are built with sanitizers.
# Guest tests: guest-tests.mk.

with_header = $(foreach f,$(1),$(if $(wildcard $(f:.c=.h)),$(f)))
test_programs = $(patsubst selftests/%.c,build/selftests/%,$(1))

$(foreach d,host qtest bench,\
	$(eval $(d)_c := $(wildcard selftests/$(d)/*.c))\
	$(eval $(d)_shared := $(call with_header,$($(d)_c)))\
	$(eval $(d)_test_src := $(filter-out $($(d)_shared),$($(d)_c))))

host_tests := $(call test_programs,$(host_test_src))
qtests := $(call test_programs,$(qtest_test_src))
benches := $(call test_programs,$(bench_test_src))

test_lib_src := $(wildcard selftests/lib/*.c)
build/selftests/lib.a: $(call objs,$(test_lib_src))
build/san/selftests/lib.a: $(call san_objs,$(test_lib_src))
build/selftests/lib.a build/san/selftests/lib.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^

# The kselftest headers are the kernel's, taken from its source package.
kselftest_dir := build/kselftest
CFLAGS_selftests/bench += -D_GNU_SOURCE
CFLAGS_selftests/host += -Iselftests/lib
CFLAGS_selftests/qtest += -D_GNU_SOURCE -Iselftests/lib

$(kselftest_dir)/kselftest_harness.h: qemu-device/kselftest-headers
	$(call say,FETCH,$(@D))qemu-device/kselftest-headers $(@D)

$(foreach t,$(host_test_src),$(eval $(call san_program,$(patsubst %.c,%,$(t)),\
	$(call san_objs,$(t) $(host_shared) $(scenario_src)) build/san/selftests/lib.a $(model_san) \
	build/san/workload.a build/san/libocfabric.a)))
$(foreach t,$(qtest_test_src),$(eval $(call program,$(patsubst %.c,%,$(t)),\
	$(call objs,$(t) $(qtest_shared)) build/selftests/lib.a)))
$(foreach t,$(bench_test_src),$(eval $(call program,$(patsubst %.c,%,$(t)),\
	$(call objs,$(t) $(bench_shared)) $(model_obj) build/libocfabric.a)))

# The fuzzer of the device: a program of several files, and what qtests share.
CFLAGS_selftests/fuzz/device := -Iselftests/qtest -Iselftests/lib -Iqemu-device/fuzz
fuzz_device := build/selftests/fuzz/device
$(eval $(call program,selftests/fuzz/device,\
	$(call objs,$(wildcard selftests/fuzz/device/*.c) $(qtest_shared)) build/selftests/lib.a))

.PHONY: tests benches
tests: $(host_tests) $(qtests) $(fuzz_device)
benches: $(benches)
