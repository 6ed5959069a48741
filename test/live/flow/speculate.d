/* SPDX-License-Identifier: Apache-2.0 */
/* Speculation in clauses with branches: all that is recorded after speculate() is held back, on those
 * paths that speculate; commit and discard in branches.
 * @options: -q -x nspec=4 */
int i;

BEGIN
{
	for (i = 0; i < 2; i++) {
		self->s[i] = speculation();
	}
	printf("start\n");
}
BEGIN
{
	if (self->s[0] != 0) {
		speculate(self->s[0]);
		printf("held 1\n");
		if (pid) printf("held 2\n"); else printf("never\n");
	}
	printf("held 3\n");
}
BEGIN
{
	if (self->s[1] == 77) speculate(self->s[1]);
	printf("not held\n");
	if (pid) printf("not held either\n");
}
BEGIN { if (pid) { speculate(self->s[1]); } if (pid) { printf("lost\n"); } }
BEGIN { if (pid) { commit(self->s[0]); } else { discard(self->s[0]); } }
BEGIN { if (!pid) commit(self->s[1]); else discard(self->s[1]); }
BEGIN { printf("end\n"); }
END { printf("END\n"); }
tick-200ms { exit(0); }
