#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
cd "$(dirname "$0")/../.." || exit 1
exec python3 -S -E selftests/guest/lib/scenarios.py
