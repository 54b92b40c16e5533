# SPDX-License-Identifier: GPL-2.0-only

scenario_src := $(wildcard userspace/scenario/*.c)
linksim_src := $(wildcard userspace/linksim/*.c)

$(eval $(call program,linksim,$(call objs,$(linksim_src) $(scenario_src)) $(model_obj),-lz))
$(eval $(call san_program,san/linksim,$(call san_objs,$(linksim_src) $(scenario_src)) $(model_san),-lz))

## linksim: the card without a machine: build/linksim FILE replays a scenario
.PHONY: linksim
linksim: $(if $(linksim_src),build/linksim)
