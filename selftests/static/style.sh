# SPDX-License-Identifier: GPL-2.0-only
# Gates for the style: the kernel's checkpatch and kernel-doc.
# shellcheck shell=bash disable=SC2154,SC2046 # lib.sh sets them; no name has a space

style() {
	"$kernel_source/scripts/checkpatch.pl" --no-tree --no-summary --quiet --terse --show-types \
		--max-line-length=100 --ignore "FILE_PATH_CHANGES,SPLIT_STRING,SPDX_LICENSE_TAG,ENOSYS$2" -f "$1"
}

# It cannot read DEFINE_FREE() and the like, nor declarations with __free().
style_kernel() {
	style "$1" ,SUSPECT_CODE_INDENT,TABSTOP,TRAILING_STATEMENTS,LINE_SPACING,LINUX_VERSION_CODE,CONSTANT_COMPARISON
}

# Less what is meant for the kernel alone, where its helpers are at hand.
style_others() {
	local ignore=,PREFER_KERNEL_TYPES,PREFER_DEFINED_ATTRIBUTE_MACRO,ARRAY_SIZE
	ignore+=,EMBEDDED_FUNCTION_NAME,COMPLEX_MACRO,MACRO_ARG_REUSE,MACRO_ARG_UNUSED
	ignore+=,MACRO_WITH_FLOW_CONTROL,MULTISTATEMENT_MACRO_USE_DO_WHILE,TRAILING_SEMICOLON
	ignore+=,VOLATILE,STRCPY,STRNCPY,SSCANF_TO_KSTRTO,NEW_TYPEDEFS,AVOID_EXTERNS
	# designated array elements, compound literals and types made by macros
	ignore+=,BRACKET_SPACE,SPACING,STATIC_CONST_CHAR_ARRAY
	ignore+=,QUOTED_WHITESPACE_BEFORE_NEWLINE,ASSIGN_IN_IF,BRACES,CONST_STRUCT,REPEATED_WORD
	style "$1" "$ignore"
}

kernel_style_contents() { own_content $(files 'driver/*.[ch]' 'uapi/*.h'); }
other_style_contents() {
	own_content $(files 'qemu-device/model/*.[ch]' 'userspace/*.[ch]' 'selftests/*.[ch]')
}

kernel_doc() { "$kernel_source/scripts/kernel-doc" -none -Werror "$1"; }
kernel_doc_contents() { own_content $(files 'driver/*.[ch]' 'uapi/linux/*.h'); }

checkpatch_version=$(cat "$kernel_source"/scripts/{checkpatch.pl,kernel-doc} | hash_of)
gate 'checkpatch: driver and uapi' remember style_kernel "$checkpatch_version" kernel_style_contents style
gate 'checkpatch: the rest' remember style_others "$checkpatch_version" other_style_contents style
gate 'kernel-doc' remember kernel_doc "$checkpatch_version" kernel_doc_contents
