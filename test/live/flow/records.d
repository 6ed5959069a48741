/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that record data: in the order in which things happen, also when a call is an argument of
 * an action, a key, a condition or an initial value; from loops and branches; in speculations.
 * @options: -q -x nspec=2 */
void show(string what, int n) { printf("%s=%d\n", what, n); }
int twice(int n) { trace("twice "); trace(n); printf("\n"); return 2 * n; }
string name(int n) { printf("name %d\n", n); if (n) return "one"; return "zero"; }
void loop(int n) { for (int i = 0; i < n; i++) { if (i == 1) continue; printf("loop %d\n", i); } }
void both(int n) { show("both", twice(n)); loop(n); }
uintptr_t where(void) { printf("where\n"); return 0; }
void more(int n) { printa("%s %@d\n", @a); if (n) { clear(@a); @a["z"] = sum(twice(1)); } printa("%s %@d\n", @a); }
void begin_spec(int n) { self->id = speculation(); speculate(self->id); printf("held %d\n", n); }
inline int four = twice(2);

BEGIN
{
	show("a", 1);
	printf("main %d %s %d\n", twice(4), name(1), twice(5));
	x = twice(1) + twice(2);
	@[name(0)] = sum(twice(8));
	both(3);
	if (twice(9) > 3) printf("yes %d\n", x);
	while (twice(x) < 14) x++;
	int y = twice(0);
	trace(twice(twice(1)));
	printf("\n%s\n", name(twice(y)));
	printf("[%a]\n", where());
	trace(name(1) == "one" ? four : 0);
	printf("\n");
	@a["k"] = sum(1);
	more(0);
	more(1);
}
BEGIN { begin_spec(1); twice(3); self->first = self->id; }
BEGIN { begin_spec(2); }
BEGIN { discard(self->id); }
BEGIN { commit(self->first); }
BEGIN { printa("%s %@d\n", @); exit(twice(0)); }
