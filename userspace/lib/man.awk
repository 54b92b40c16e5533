# SPDX-License-Identifier: GPL-2.0-only
#
# Makes a man page of headers from their kernel-doc comments, in their order: DOC
# blocks become sections, functions and structures follow.
#   awk -v version=V -v page=NAME -v about=TEXT -v others='NAME NAME' -f man.awk HEADER...

function plain(s) {
	gsub(/\\/, "\\e", s)
	gsub(/@/, "", s)
	gsub(/-/, "\\-", s)
	sub(/^[.']/, "\\\\\\&", s)
	return s
}

# One paragraph or list item of a comment; `name:` at the start is a tag.
function text(s,    colon) {
	if (s == "") {
		print ".PP"
	} else if (s ~ /^- /) {
		print ".IP \\(bu 2"
		print plain(substr(s, 3))
	} else if (s ~ /^@[a-z_0-9]+:/) {
		colon = index(s, ":")
		print ".TP"
		print ".I " plain(substr(s, 2, colon - 2))
		s = substr(s, colon + 1)
		sub(/^[ \t]+/, "", s)
		print plain(s)
	} else if (s ~ /^(Return|Errors):/) {
		colon = index(s, ":")
		print ".TP"
		print ".B " (s ~ /^Return/ ? "Returns" : "Errors")
		s = substr(s, colon + 1)
		sub(/^[ \t]+/, "", s)
		print plain(s)
	} else {
		print plain(s)
	}
}

function flush_comment(    i) {
	if (doc) {
		print ".SH " toupper(title)
	} else {
		print ".SS " plain(title)
	}
	if (proto != "") {
		print ".nf"
		print ".B \"" proto "\""
		print ".fi"
		print ".PP"
	}
	for (i = 1; i <= n; i++)
		text(line[i])
}

# What a comment describes: up to the body or the semicolon.
function take_proto(s) {
	sub(/^[ \t]+/, " ", s)
	proto = proto s
	if (s ~ /[{;]/ || s == "") {
		sub(/[ \t]*[{].*$/, "", proto)
		sub(/^static inline /, "", proto)
		gsub(/"/, "", proto)
		if (proto !~ /;$/)
			proto = proto ";"
		collecting = 0
		flush_comment()
	}
}

BEGIN {
	print ".\\\" SPDX-License-Identifier: LGPL-2.1-or-later"
	print ".TH " toupper(page) " 3 \"\" \"ocfabric " version "\" \"Library Functions\""
	print ".SH NAME"
	print plain(page) " \\- " plain(about)
	print ".SH SYNOPSIS"
	print ".nf"
	print ".B #include <ocfabric.h>"
	print ".PP"
	print ".B cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs ocfabric)"
	print ".fi"
}

/^\/\*\*$/ { inside = 1; n = 0; title = ""; proto = ""; doc = 0; next }

inside && /^ \*\// {
	inside = 0
	if (doc) {
		flush_comment()
	} else {
		if (!functions++)
			print ".SH FUNCTIONS AND STRUCTURES"
		collecting = 1
	}
	next
}

inside {
	s = $0
	sub(/^ \*[ \t]*/, "", s)
	if (title == "") {
		title = s
		if (sub(/^DOC: /, "", title))
			doc = 1
	} else if (n || s != "") {
		line[++n] = s
	}
	next
}

collecting { take_proto($0) }

END {
	print ".SH SEE ALSO"
	count = split(others, other, " ")
	for (i = 1; i <= count; i++)
		if (other[i] != page)
			print ".BR " plain(other[i]) " (3),"
	print ".BR fabricctl (8)"
}
