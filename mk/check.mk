# SPDX-License-Identifier: GPL-2.0-only

## check: all tests, on the host and in guests (ONLY='host/* guest/stock' for some)
.PHONY: check
check:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory tools tests build/san/linksim build/san/fabricctl build/san/ocf-workload qemu \
		guest-module guest-module-debug
	@selftests/check $(ONLY)

## check-kcsan: the guest's tests on a kernel that looks for data races of the driver
.PHONY: check-kcsan
check-kcsan:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory tools tests qemu guest-module-kcsan
	@LANES=1 selftests/check guest/kcsan

.PHONY: check-deps
check-deps:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory tools tests qemu guest-module guest-module-debug

## check-iommu: all of the guest's tests behind a strict IOMMU, with both kernels
.PHONY: check-iommu
check-iommu: check-deps
	@export IOMMU_TESTS='*' TAP_TIMEOUT=3600 GUEST_TIMEOUT=3600; \
	for kernel in stock debug; do \
		KERNEL=$$kernel selftests/check boot/iommu || exit; \
	done

## check-migrate: migration at its full size, see docs/testing.md
.PHONY: check-migrate
check-migrate: check-deps
	@OCF_ROUNDS=$(or $(ROUNDS),5000) OCF_FLIPS=all OCF_STREAMS=200 OCF_MOVES=10 \
		TAP_TIMEOUT=36000 selftests/check qtest/rounds qtest/damaged qtest/streams boot/migrate
