int a[int, ...];
provider p { probe x(int, ...); };
