# SPDX-License-Identifier: GPL-2.0-only
#
# libocfabric, fabricctl and ocf-workload with man pages and completion (printed by
# the tools themselves, from their tables), the examples, and their installation.

VERSION := 1.0.0
# SO is the library's ABI: libocfabric.so.$(SO)
SO := 1

lib_src := $(wildcard userspace/lib/*.c)
lib_map := userspace/lib/libocfabric.map
fabricctl_src := $(wildcard userspace/fabricctl/*.c)
fabricctl_model := $(addprefix qemu-device/model/,rules.c config.c counters.c fault.c qp.c)
workload_src := $(wildcard userspace/workload/*.c)
example_src := $(wildcard userspace/examples/*.c)
examples := $(patsubst userspace/%.c,build/%,$(example_src))

lib_include := -Iuserspace/lib/include
CFLAGS_userspace/lib += -D_GNU_SOURCE -fPIC -fvisibility=hidden $(lib_include)
CFLAGS_userspace/examples += $(lib_include)
CFLAGS_userspace/workload += -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(lib_include)
CFLAGS_selftests/guest += $(lib_include)
CFLAGS_selftests/host += $(lib_include)
CFLAGS_selftests/bench += $(lib_include)
CFLAGS_userspace/fabricctl += -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(lib_include) \
	$(shell pkg-config --cflags libnl-genl-3.0 json-c smartcols zlib 2>/dev/null)
FABRICCTL_LIBS = $(shell pkg-config --libs libnl-genl-3.0 json-c smartcols zlib) -lm

build/libocfabric.a: $(call objs,$(lib_src))
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^

# for host tests
build/san/libocfabric.a: $(call san_objs,$(lib_src))
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^

build/libocfabric.so.$(SO): $(call objs,$(lib_src)) $(lib_map)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libocfabric.so.$(SO) \
		-Wl,--version-script=$(lib_map) -Wl,-z,defs -o $@ $(filter %.o,$^)
	@ln -sfn $(@F) build/libocfabric.so

build/ocfabric.pc: userspace/lib/ocfabric.pc.in mk/userspace.mk
	@mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

# A man page for the library and one for each of its larger headers.
lib_headers := userspace/lib/include/ocfabric
lib_pages := libocfabric $(addprefix libocfabric-,queue transfer channel)
lib_manuals := $(patsubst %,build/%.3,$(lib_pages))
build/libocfabric.3: userspace/lib/include/ocfabric.h $(lib_headers)/replica.h
build/libocfabric.3: about := be a replica of an ocfabric card
build/libocfabric-queue.3: about := post, ring, complete, wait: the rings of a replica
build/libocfabric-transfer.3: about := transfers that are prepared early and started late
build/libocfabric-channel.3: about := many rings of messages over one connection
$(foreach p,queue transfer channel,$(eval build/libocfabric-$(p).3: $(lib_headers)/$(p).h))
$(lib_manuals): userspace/lib/man.awk mk/userspace.mk
	@mkdir -p $(@D)
	$(call say,MAN,$@)awk -v version=$(VERSION) -v page=$(@F:.3=) -v about='$(about)' \
		-v others='$(lib_pages)' -f userspace/lib/man.awk $(filter %.h,$^) >$@

fabricctl_objs := $(fabricctl_src) $(scenario_src) $(fabricctl_model)
$(eval $(call program,fabricctl,$(call objs,$(fabricctl_objs)) build/libocfabric.a,$$(FABRICCTL_LIBS)))
$(eval $(call san_program,san/fabricctl,$(call san_objs,$(fabricctl_objs) $(lib_src)),$$(FABRICCTL_LIBS)))
$(foreach e,$(example_src),$(eval $(call program,$(patsubst userspace/%.c,%,$(e)),$(call objs,$(e)) build/libocfabric.a)))

workload_objs := $(workload_src) $(filter-out %/apply.c,$(scenario_src))
$(eval $(call program,ocf-workload,$(call objs,$(workload_objs)) build/libocfabric.a,-lz))
$(eval $(call san_program,san/ocf-workload,$(call san_objs,$(workload_objs) $(lib_src)),-lz))

# for tests of its parts
build/san/workload.a: $(call san_objs,$(filter-out %/main.c,$(workload_src)))
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^

build/ocf-workload.1: build/ocf-workload
	$(call say,MAN,$@)$< --manual >$@

build/fabricctl.8: build/fabricctl
	$(call say,MAN,$@)$< manual >$@

build/fabricctl.bash: build/fabricctl
	$(call say,GEN,$@)$< completion >$@

## tools: fabricctl, libocfabric, ocf-workload, linksim and the examples
.PHONY: tools fabricctl lib examples workload
tools: lib fabricctl workload linksim examples
lib: build/libocfabric.a build/libocfabric.so.$(SO) build/ocfabric.pc $(lib_manuals)
fabricctl: $(if $(fabricctl_src),build/fabricctl build/fabricctl.8 build/fabricctl.bash)
workload: build/ocf-workload build/ocf-workload.1
examples: $(examples)

## install: library, headers, tools, man pages, udev rule, metrics timer (PREFIX=, DESTDIR=)
.PHONY: install
install: lib fabricctl workload linksim
	$(Q)packaging/install "$(DESTDIR)" "$(PREFIX)" $(SO) $(VERSION)
