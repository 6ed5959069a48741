BEGIN { if (x) { a; b; } trace(1 +); }
struct s { int; foo bar baz; };
END { } }
BEGIN { x = = 2; }
