static s;
auto a;
register r;
BEGIN { exit(0); }
