# SPDX-License-Identifier: GPL-2.0-only
# Gates for headers: each compiles alone, and twice; those for programs also in old C
# and in C++. The driver's are in driver.sh.
# shellcheck shell=bash disable=SC2154,SC2046 # lib.sh sets them; no name has a space

# twice FILE COMPILER...
twice() {
	local file=$1 compiler
	shift
	for compiler in "$@"; do
		# shellcheck disable=SC2086
		$compiler -Wall -Wextra -Werror -Iuapi -fsyntax-only \
			-include "$file" -include "$file" - </dev/null || echo "$file: not by $compiler"
	done
}

uapi_header() { twice "$1" 'gcc -std=c90 -x c' 'g++ -x c++'; }

library_header() {
	local compiler
	for compiler in 'gcc -std=gnu99 -x c' 'g++ -x c++'; do
		twice "$1" "$compiler -Iuserspace/lib/include"
	done
}

private_header() {
	local flags
	read -ra flags < <(host_flags "$1")
	twice "$1" "gcc -std=gnu11 -Wno-unused-function -Wno-sign-compare ${flags[*]} -x c"
}

uapi_contents() { host_contents 'uapi/linux/*.h'; }
library_contents() { host_contents 'userspace/lib/include/*.h'; }
private_contents() { host_contents 'qemu-device/model/*.h' 'selftests/*.h' 'userspace/*.h'; }

gate 'uapi headers stand alone' remember uapi_header "$gcc_version" uapi_contents twice
gate "the library's headers stand alone" remember library_header "$gcc_version" library_contents twice
gate 'private headers stand alone' remember private_header "$gcc_version" private_contents twice host_flags
