# SPDX-License-Identifier: GPL-2.0-only
# Gates for the card's files that are part of QEMU: the checkers of host.sh, with the
# flags of QEMU's own build. Of QEMU's headers nothing is told.
# shellcheck shell=bash disable=SC2154,SC2046 # lib.sh sets them; no name has a space

device_tree=$(OCF_QEMU_TREE=1 qemu-device/build)
device_flags=$(cat "$device_tree/flags")

# The tree may be at somebody else's files: those of here come first.
device_own="-iquote $scratch/device -iquote qemu-device/model -Iuapi"
mkdir -p "$scratch/device/trace"
/usr/bin/python3 "$device_tree/src/scripts/tracetool.py" --backend=log --format=h \
	--group=hw_misc_ocfabric qemu-device/qemu/trace-events \
	"$scratch/device/trace/trace-hw_misc_ocfabric.h"

# What cppcheck, which has none of QEMU's headers, cannot read over.
cat >"$scratch/device/macros.h" <<'END'
#define OBJECT_DECLARE_SIMPLE_TYPE(type, name) \
	typedef struct type type; type *name(const void *obj);
#define DEFINE_TYPES(types)
END
device_macros=$(<"$scratch/device/macros.h")

# Each file with all headers of ours, and with QEMU: its tree is named by its contents.
device_contents() {
	local shared file
	shared=$({
		files 'qemu-device/qemu/*.h' qemu-device/qemu/trace-events 'qemu-device/model/*.h' \
			uapi/linux/ocfabric_hw.h | xargs sha256sum
		echo "$device_flags $device_macros"
	} | hash_of)
	for file in $(files 'qemu-device/qemu/*.c'); do
		echo "$({ echo "$shared"; sha256sum "$file"; } | hash_of) $file"
	done
}

device_cpp_check() {
	cppcheck --quiet --std=c11 --error-exitcode=1 --enable=warning,performance,portability \
		--library=gtk --include="$scratch/device/macros.h" --suppress=missingIncludeSystem \
		-D__GNUC__ -Iuapi -Iqemu-device/model "$1"
}

# clang does not know all of gcc's options: what is included, and defined.
device_tidy() {
	local flags
	mapfile -t flags < <(grep -oE -- '-(I|D|std=|iquote |isystem )[^ ]+' <<<"$device_flags" | tr ' ' '\n')
	# shellcheck disable=SC2086
	tidy_with "$1" $device_own "${flags[@]}"
}

# device_gcc OPTION... FILE: what it says about our files, or all if it cannot compile.
device_gcc() {
	local text status
	# shellcheck disable=SC2086
	text=$(gcc $device_own $device_flags -Wno-error -fdiagnostics-color=never \
		-fno-diagnostics-show-caret "$@" 2>&1)
	status=$?
	[ $status -eq 0 ] || { echo "$text"; return $status; }
	grep -E '^(qemu-device|uapi)/.*: (error|warning): ' <<<"$text" || return 0
}

# gcc 12 takes a struct that a function of the doorbells returns for half set.
device_analyzer() {
	local known=()
	[ "$1" != qemu-device/qemu/ocfabric_doorbell.c ] ||
		known=(-Wno-analyzer-use-of-uninitialized-value)
	device_gcc -O1 -fanalyzer -Wno-analyzer-malloc-leak "${known[@]}" \
		-fdiagnostics-path-format=none -c -o /dev/null "$1"
}

# A coroutine of QEMU, as one that loads a state, has a stack of its own; in it is the
# model, too.
device_stack() { device_gcc -Wvla -Wstack-usage=2048 -S -o /dev/null "$1"; }

gate 'the card in QEMU: cppcheck' remember device_cpp_check "$(cppcheck --version)" device_contents
gate 'the card in QEMU: clang-tidy' remember device_tidy "$(clang-tidy --version)" device_contents tidy_with
gate 'the card in QEMU: gcc -fanalyzer' remember device_analyzer "$gcc_version" device_contents device_gcc
gate 'the card in QEMU: no large stack frame' remember device_stack "$gcc_version" device_contents device_gcc
