# SPDX-License-Identifier: GPL-2.0-only
# Gates for the driver: the kernel's extra warnings, sparse, coccinelle, its stacks, its
# headers, and whether the generated code is what the generator makes.
# shellcheck shell=bash disable=SC2154,SC2046 # lib.sh sets them; no name has a space

stock=$(qemu-device/stock-kernel)
release=$(<"$stock/release")
module_dir=build/driver/$release

# All that the driver is made of, as one; what is made of it is one result.
driver_contents() {
	echo "$({
		files driver uapi Kbuild mk/module scripts/regen-netlink |
			xargs sha256sum
		echo "$kernel_source $stock"
	} | hash_of) driver"
}

driver_warnings() { OCF_MODULE_DIR=build/sparse W=1 C=2 MAKEFLAGS=-j$(nproc) mk/module "$stock/kdir" modules; }

# The compiler's words for one of the driver's files, up to its -c.
driver_compiler() { sed -n '1s/^[^=]*:= \(.*\) -c -o .*/\1/p' "$module_dir/driver/.card.o.cmd"; }

driver_headers() {
	local header compiler
	compiler=$(driver_compiler | sed 's/-Wp,-MMD,[^ ]*//; s/-pg -mrecord-mcount//')
	[ -n "$compiler" ] || { echo "$module_dir: not built"; return 1; }
	for header in $(files 'driver/*.h'); do
		echo "#include \"${header#driver/}\"" >"$scratch/header.c"
		(cd "$stock/kdir" && eval "$compiler" -Werror -fsyntax-only "$scratch/header.c") 2>&1 ||
			echo "$header: does not compile alone"
	done
}

# Nobody knows how deep a caller is already. The description of a queue, 992 bytes, is
# the largest thing that is on a stack of 16 KiB.
driver_stack() {
	local most=1280
	[ -r "$module_dir/ocfabric.ko" ] || { echo "$module_dir/ocfabric.ko: not built"; return 1; }
	objdump -d "$module_dir/ocfabric.ko" | perl "$kernel_source/scripts/checkstack.pl" x86_64 $most
}

generated() { scripts/regen-netlink --check; }

# One file by all rules: those about interfaces, frees, locks, null pointers, tests
# that cannot be meant, iterators, and what else is a fault rather than a habit. Without
# those partly in OCaml, for which there would have to be a compiler.
rules() {
	local rules=$kernel_source/scripts/coccinelle name
	find "$rules"/{api,free,iterators,locks,null,tests} -name '*.cocci' |
		LC_ALL=C sort | xargs grep -L ':ocaml@'
	for name in array_size array_size_dup badty cond_no_effect cstptr do_div doubleinit \
		excluded_middle flexible_array ifcol irqf_oneshot newline_in_nl_msg noderef of_table \
		orplus returnvar semicolon struct_size swap test_addr uninitialized_var warn; do
		echo "$rules/misc/$name.cocci"
	done
}

# Each rule reads at once what has no mark: to start it takes longer than a file does.
coccinelle() {
	local dir content file unread=() marks=()
	dir=$(place rules "$(spatch --version | head -n 1) $(rules | xargs cat | hash_of)" rule)
	mkdir -p "$dir"
	while read -r content file; do
		unread+=("$file")
		marks+=("$dir/$content")
		[ -n "${OCF_STATIC_FRESH:-}" ] || [ ! -e "$dir/$content" ] || {
			touch -c "$dir/$content"
			unset "unread[-1]" "marks[-1]"
		}
	done < <(semantic_contents)
	[ ${#unread[@]} -ne 0 ] || return 0
	export -f rule
	# shellcheck disable=SC2016
	rules | xargs -P "$(nproc)" -I '{}' bash -c 'rule "$@"' bash '{}' "${unread[@]}" >"$scratch/semantic" 2>&1 &&
		[ ! -s "$scratch/semantic" ] && touch "${marks[@]}" && return
	cat "$scratch/semantic"
	return 1
}

# What a rule cannot be made to say is in stderr; what it found, in stdout.
rule() {
	local text status
	{
		text=$(spatch -D report --very-quiet --no-show-diff --no-includes --cocci-file "$@" \
			2>&1 >&3 </dev/null)
		status=$?
	} 3>&1
	[ $status -eq 0 ] || echo "$1 failed: $text"
}

semantic_contents() { own_content $(files 'driver/*.c'); }

gate 'netlink code is what its spec makes' remember generated "$(/usr/bin/python3 --version)" driver_contents
gate 'driver: headers stand alone' remember driver_headers "$gcc_version" driver_contents driver_compiler
gate 'driver: W=1 and sparse' remember driver_warnings "$(sparse --version) $gcc_version" driver_contents
gate 'driver: no large stack frame' remember driver_stack "$gcc_version" driver_contents
gate 'driver: coccinelle' coccinelle
