int;
unsigned long;
foo_t a; self struct a; typedef struct x { int y; };
