#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# Scripts: #! line, arguments, $0, -s -, several programs, -C with -D -U -I, -e, -S, -v.
. "$LIVE/lib.sh"
cd "$WORK" || exit
mkdir bin inc
ln -s "$DWELL" bin/dwell
PATH=$WORK/bin:$PATH
cat >script <<'END'
#!/usr/bin/env -S dwell -qs
BEGIN { printf("%d %s\n", $1, $$2); exit(4); }
END
chmod +x script
exits 4 ./script 5 word
same "5 word" "$(head -1 out)"

cat >in.d <<'END'
BEGIN { printf("stdin\n"); exit(0); }
END
exits 0 "$DWELL" -q -s - <in.d
same stdin "$(head -1 out)"

exits 0 "$DWELL" -q -n 'BEGIN { printf("1"); }' -s in.d -n 'BEGIN { printf("never"); }'
same 1stdin "$(head -1 out)"

if command -v cpp >/dev/null; then
	cat >cppscript <<'END'
#!/usr/bin/env -S dwell -Cqs
#define THREE 3
BEGIN { printf("%d %s\n", THREE, $$1); exit(0); }
END
	chmod +x cppscript
	exits 0 ./cppscript 'two words'
	same "3 two words" "$(head -1 out)" "-C with #!"
	echo '#define FROM_HEADER 3' >inc/h.h
	cat >cpp.d <<'END'
#include "h.h"
#ifdef GONE
#error GONE is defined
#endif
BEGIN { printf("%d %d\n", VALUE, FROM_HEADER); exit(0); }
END
	exits 0 "$DWELL" -q -C -D VALUE=7 -I inc -D GONE -U GONE -s cpp.d
	same "7 3" "$(head -1 out)"
	echo 'BEGIN { nosuch(); }' >>cpp.d
	exits 1 "$DWELL" -q -C -D VALUE=7 -I inc -s cpp.d
	has err "line 6"
	printf '#include "no-such.h"\nBEGIN { }\n' >bad.d
	exits 1 "$DWELL" -q -C -s bad.d
	has err "bad.d: "
fi

exits 0 "$DWELL" -e -n 'BEGIN { printf("not run\n"); }'
same "" "$(cat out)"
exits 0 "$DWELL" -S -e -n 'BEGIN { x = 5; }'
has err "exit"
exits 0 "$DWELL" -q -v -n 'BEGIN { exit(0); }'
exits 0 "$DWELL" -q -P dtrace -n 'tick-5ms { exit(0); }'
exits 0 "$DWELL" -q -f 'getppid { @ = count(); }' -n 'tick-5ms { exit(0); }'
exits 0 "$DWELL" -q -m 'vmlinux:getppid { @ = count(); }' -Z -n 'tick-5ms { exit(0); }'
exits 0 "$DWELL" features
[ -s out ] || die "features says nothing"
