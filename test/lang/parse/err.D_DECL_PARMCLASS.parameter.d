int a[static int x];
int f(self int x);
