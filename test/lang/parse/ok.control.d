#!/usr/sbin/dtrace -s
#pragma D option quiet
  # pragma D option bufsize=8m
#pragma D option strsize=512
#pragma D attributes Evolving/Evolving/Common foo
#pragma D attributes Stable/Stable/Common provider foo args
#pragma D binding "1.2" foo
#pragma D depends_on module vmlinux
#pragma D depends_on library io.d
#pragma D ident "x"
#pragma once
#pragma GCC x y
#ident "v1"
#line 7
#line 8 "a.h"
# 9 "b.h" 1 3
#
BEGIN
{
#pragma D option aggsortrev
	trace(1); /* a
	comment */ trace(2);
# 100 "c.h"
	a \
	+ b;
}
