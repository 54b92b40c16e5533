# SPDX-License-Identifier: GPL-2.0-only
#
# The module is built in build/driver/RELEASE, a mirror of links to the sources,
# so that objects of different kernels do not mix. Which kernel: KDIR=, or
# KERNEL= (the guest's: stock, debug, kcsan, or a folder with kdir in it), or else the one that runs here if it has
# headers, or else the guest's stock kernel.

running_kdir := $(wildcard /lib/modules/$(shell uname -r)/build)
KERNEL ?= stock
guest_kdir = $(if $(filter stock debug kcsan,$(1)),$$(qemu-device/$(1)-kernel),$(1))/kdir

# $(call module,KDIR,TARGET)
module = KDIR=$(1); mk/module "$$KDIR" $(2)

ifneq ($(KDIR),)
module_kdir = $(KDIR)
else ifeq ($(origin KERNEL),command line)
module_kdir = $(call guest_kdir,$(KERNEL))
else ifneq ($(running_kdir),)
module_kdir = $(running_kdir)
else
module_kdir = $(call guest_kdir,stock)
endif

## modules: the driver, for KDIR= or KERNEL=stock|debug|kcsan
.PHONY: modules modules_install
modules:
	+$(Q)$(call module,$(module_kdir),modules)

## modules_install: installs it (DESTDIR= for a staged install)
modules_install:
	+$(Q)INSTALL_MOD_PATH="$(DESTDIR)" $(call module,$(module_kdir),modules_install)

.PHONY: guest-module guest-module-debug guest-module-kcsan
guest-module:
	+$(Q)$(call module,$(call guest_kdir,$(KERNEL)),modules)

guest-module-debug:
	+$(Q)$(call module,$(call guest_kdir,debug),modules)

guest-module-kcsan:
	+$(Q)$(call module,$(call guest_kdir,kcsan),modules)

## regen: makes the netlink code from its spec (regen-check: fails when it differs)
.PHONY: regen regen-check
regen:
	$(Q)scripts/regen-netlink

regen-check:
	$(Q)scripts/regen-netlink --check
