int char x;
struct a int z;
long long long w;
signed unsigned u;
int struct a b;
