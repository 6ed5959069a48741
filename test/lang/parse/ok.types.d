struct a { int x; char *y, z[10]; };
union b { int x; struct a in; struct { int anon; }; union { int q; } named; };
enum c { ONE, TWO = 2, THREE = 1 << 2, FOUR, };
struct bits { unsigned a:1, :2, b:ONE + 1; int c; };
struct fwd;
struct d { struct d *next; enum { IN1, IN2 } e; int (*fn)(void *); } var, *pvar;
typedef unsigned int my_t;
typedef struct a a_t, *ap_t;
typedef int fn_t(int, my_t x, a_t *);
my_t y;
struct self { int that; } z;
BEGIN { (my_t)-1; (ap_t)*y; }
