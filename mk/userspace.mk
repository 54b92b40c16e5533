# SPDX-License-Identifier: GPL-2.0-only

lib_src := $(wildcard userspace/lib/*.c)
fabricctl_src := $(wildcard userspace/fabricctl/*.c)
example_src := $(wildcard userspace/examples/*.c)
examples := $(patsubst userspace/%.c,build/%,$(example_src))

CFLAGS_userspace/lib += -fPIC -fvisibility=hidden
CFLAGS_userspace/fabricctl += $(shell pkg-config --cflags libnl-genl-3.0 json-c 2>/dev/null)
FABRICCTL_LIBS = $(shell pkg-config --libs libnl-genl-3.0 json-c)

build/libocfabric.a: $(call objs,$(lib_src))
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^

build/libocfabric.so.0: $(call objs,$(lib_src))
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libocfabric.so.0 -o $@ $^

$(eval $(call program,fabricctl,$(call objs,$(fabricctl_src) $(scenario_src)) $(model_obj) build/libocfabric.a,$$$$(FABRICCTL_LIBS)))
$(foreach e,$(example_src),$(eval $(call program,$(patsubst userspace/%.c,%,$(e)),$(call objs,$(e)) build/libocfabric.a)))

## tools: fabricctl, libocfabric, linksim and the examples
.PHONY: tools fabricctl lib examples
tools: lib fabricctl linksim examples
lib: $(if $(lib_src),build/libocfabric.a build/libocfabric.so.0)
fabricctl: $(if $(fabricctl_src),build/fabricctl)
examples: $(examples)
