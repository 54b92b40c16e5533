# SPDX-License-Identifier: GPL-2.0-only
#
# Each selftests/{host,qtest,guest,bench}/NAME.c is a program,
# build/selftests/DIR/NAME. Files in selftests/lib are shared by all of them.
# Host tests are built with sanitizers.

test_lib_src := $(wildcard selftests/lib/*.c)
host_test_src := $(wildcard selftests/host/*.c)
qtest_src := $(wildcard selftests/qtest/*.c)
guest_test_src := $(wildcard selftests/guest/*.c)

test_programs = $(patsubst selftests/%.c,build/selftests/%,$(1))
host_tests := $(call test_programs,$(host_test_src))
qtests := $(call test_programs,$(qtest_src))
guest_tests := $(call test_programs,$(guest_test_src))

# The kselftest headers are the kernel's, taken from its source package.
kselftest_dir := build/kselftest
CFLAGS_selftests/guest += -I$(kselftest_dir) -Iselftests/lib
CFLAGS_selftests/host += -Iselftests/lib
CFLAGS_selftests/qtest += -Iselftests/lib

$(kselftest_dir)/kselftest_harness.h: qemu-device/kselftest-headers
	$(call say,FETCH,$(@D))qemu-device/kselftest-headers $(@D)

$(call objs,$(guest_test_src)): | $(kselftest_dir)/kselftest_harness.h

$(foreach t,$(host_test_src),$(eval $(call san_program,$(patsubst %.c,%,$(t)),\
	$(call san_objs,$(t) $(test_lib_src) $(scenario_src)) $(model_san))))
$(foreach t,$(qtest_src),$(eval $(call program,$(patsubst %.c,%,$(t)),\
	$(call objs,$(t) $(test_lib_src)))))
$(foreach t,$(guest_test_src) $(bench_src),$(eval $(call program,$(patsubst %.c,%,$(t)),\
	$(call objs,$(t) $(test_lib_src)) build/libocfabric.a)))

.PHONY: tests
tests: $(host_tests) $(qtests) $(guest_tests)
