int f(int a) { return 1 + ; }
int g(int a) { return 1; } int
int x; { }
self int h(int a) { return 1; }
BEGIN { return 1; }
