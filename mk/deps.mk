# SPDX-License-Identifier: GPL-2.0-only

## deps: installs the Debian packages that are missing (as root or by sudo)
.PHONY: deps
deps:
	$(Q)mk/deps
