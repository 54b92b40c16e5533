# SPDX-License-Identifier: GPL-2.0-only

model_src := $(wildcard qemu-device/model/*.c)
model_obj := $(call objs,$(model_src))
model_san := $(call san_objs,$(model_src))
