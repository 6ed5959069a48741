/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program: values, strings, pointers; early return, loops, calls of one another in any
 * order; side effects; probe arguments are those of the clause.
 * @options: -q -x loopmax=100
 * @filter: id pc */
int calls;

int twice(int n) { calls++; return 2 * n; }
uint64_t power(uint64_t base, int n)
{
	uint64_t r = 1;
	for (int i = 0; i < n; i++) r *= base;
	return r;
}
string name(int n)
{
	if (n == 0) return "zero";
	if (n < 0) return strjoin("minus ", name_pos(-n));
	return name_pos(n);
}
string name_pos(int n) { if (n == 1) return "one"; if (n == 2) return "two"; }
void note(string key, int by) { @sums[key] = sum(by); if (by > 5) { @big = count(); return; } @small = count(); }
int gcd(int a, int b)
{
	while (b) {
		int t = a % b;
		a = b;
		b = t;
	}
	return a;
}
pid_t pid_of(struct task_struct *t) { return t->tgid; }
int8_t small(int n) { return n; }
uint64_t where(void) { return arg0 + arg1; }
int sum_digits(int n) { int s = 0; do { s += n % 10; n /= 10; } while (n); return s; }

BEGIN
{
	printf("%d %d %d\n", twice(21), twice(twice(3)) + twice(1), calls);
	printf("%d %d\n", power(3, 4), power(2, 63) == 0x8000000000000000);
	printf("[%s] [%s] [%s] [%s]\n", name(0), name(-2), name(1), name(7));
	printf("%d\n", gcd(gcd(48, 36), 30));
	printf("%d %d\n", pid_of(curthread) == pid, small(200));
	note("a", 3);
	note("b", twice(4));
	if (name(1) == "one" && twice(2) > 3) printf("yes %s\n", strjoin(name(1), name(2)));
	for (this->i = 0; this->i < twice(2); this->i++) printf("%d ", sum_digits(this->i * 99));
	x = name(2);
	printf("%s %d %d\n", x, name(9) == NULL, where() == arg0 + arg1);
	exit(twice(0));
}
/* in predicates; a fault there is the predicate's */
int depth(int n) { int d = 0; while (n > 1) { n /= 2; d++; } return d; }
int forever(int n) { while (1) n++; return n; }
END /depth(1000) == 9 && name(1) == "one"/ { printf("depth %d\n", depth(17)); }
END /depth(3) > 1/ { printf("never\n"); }
END /forever(1)/ { printf("never\n"); }
inline int nine = depth(512);
END { printf("%d\n", nine); }
