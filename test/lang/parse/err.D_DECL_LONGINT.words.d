long float x;
long string y;
short double z;
struct a long w;
