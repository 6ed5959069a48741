BEGIN {
	0; 1; 42u; 42l; 42ul; 42ll; 42ULL; 42lu;
	010; 0x1F; 0xfful; 0; 00; 18446744073709551615; 0xffffffffffffffff;
	'a'; 'ab'; 'abcdefgh'; '\n'; '\''; '"'; '\0'; '\377'; '\x41'; '\\';
	""; "a\tb\n\"q\" \101\x42 \q %d"; "cut\0here"; "it's";
	"/* no comment */"; "$pid";
}
