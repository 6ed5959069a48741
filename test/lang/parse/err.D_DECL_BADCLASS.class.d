static int x;
register int y;
auto int z;
inline self int w = 3;
