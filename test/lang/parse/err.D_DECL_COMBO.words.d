int char x;
long short y;
struct a int z;
long long long w;
signed unsigned u;
int struct a b;
