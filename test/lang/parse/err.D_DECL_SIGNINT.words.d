unsigned float x;
signed string y;
unsigned struct a z;
struct a unsigned w;
