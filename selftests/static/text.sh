# SPDX-License-Identifier: GPL-2.0-only
# Gates for every file as a text: licences, marks of unfinished work, paths of one
# machine, the length of functions; and for scripts.
# shellcheck shell=bash disable=SC2154,SC2046 # lib.sh sets them; no name has a space

spdx() {
	files ':!LICENSES' ':!*.scn' ':!*.out' ':!.gitignore' ':!selftests/fuzz/corpus' | xargs awk '
		function judge() { if (file != "" && !has) print file ": no SPDX line" }
		FNR == 1 { judge(); file = FILENAME; has = 0 }
		FNR <= 3 && /SPDX-License-Identifier/ { has = 1 }
		END { judge() }'
}

unfinished() {
	! git grep -nwE 'TODO|FIXME|XXX|HACK' -- ':!*.md' ':!selftests/static/text.sh'
}

machine_paths() {
	! git grep -nE '(^|[^A-Za-z0-9_.$}"]|[^A-Za-z0-9_}]")/(work|root|farm)/|deb\.debian\.org' \
		-- ':!selftests/static/text.sh'
}

long_functions() {
	files '*.c' '*.h' | xargs awk '
		FNR == 1 { start = 0 }
		/^[a-zA-Z_].*[^;]$/ { name = $0 }
		/^\{/ { start = FNR }
		/^\}/ {
			if (start && FNR - start > 90)
				printf "%s:%d: %d lines: %s\n", FILENAME, start, FNR - start, name
			start = 0
		}'
}

# A script is judged with those it sources.
script_contents() {
	local shared
	shared=$(cat qemu-device/common.sh selftests/static/*.sh | hash_of)
	git grep -lE '^#!/bin/(ba)?sh|^# shellcheck shell=bash disable' -- ':!*.md' | while read -r file; do
		echo "$({ echo "$shared"; sha256sum "$file"; } | hash_of) $file"
	done
}

shell_script() { shellcheck -S warning -x -P qemu-device -P selftests/static "$1"; }

python_contents() {
	mapfile -t python < <(git grep -lE '^#!.*python3' -- ':!*.md'; files '*.py')
	own_content "${python[@]}"
}

python_script() { pyflakes3 "$1"; }

gate 'SPDX lines' spdx
gate 'no marks of unfinished work' unfinished
gate 'no paths of one machine' machine_paths
gate 'no function over 90 lines' long_functions
gate 'shellcheck' remember shell_script "$(shellcheck --version | sed -n 2p)" script_contents
gate 'pyflakes' remember python_script "$(pyflakes3 --version)" python_contents
