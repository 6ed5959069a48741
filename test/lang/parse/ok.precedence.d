BEGIN {
	a = b = c;
	a += b -= c *= d /= e %= f &= g ^= h |= i <<= j >>= k;
	a ? b : c ? d : e;
	a ? b, c : d;
	a || b ^^ c && d | e ^ f & g == h < i << j + k * l;
	a * b + c << d < e == f & g ^ h | i && j ^^ k || l;
	a - b - c; a / b / c; a << b << c; a < b < c; a == b != c;
	-a * !b + ~c - +d & &e * *f;
	- -a; ++a; --a; a++; a--; ++*p; *p++; -x--;
	(a, b), c;
	(a + b) * c;
	!a == b;
	a % b >= c <= d > e >> f;
}
