/* SPDX-License-Identifier: Apache-2.0 */
/* Branches: actions, assignments, aggregations in them; what one branch computes is not used after it.
 * @options: -q */
int seen;

BEGIN
{
	if (pid != 0) printf("a"); else printf("not a");
	if (pid == 0) {
		printf("not b");
	} else if (pid == ppid) {
		printf("not b2");
	} else {
		printf("b");
		seen++;
	}
	printf("c%d\n", seen);
	if (!seen) { self->t = 5; } else { self->s = 7; }
	printf("%d %d\n", self->t, self->s);
	if (0) trace("never");
	if (1) printf("always "); else trace("never");
	@a[pid ? "yes" : "no"] = count();
	if (seen > 1) @a["not"] = count();
	else @b["else"] = sum(41 + seen);
}
/* timestamp is the same on all paths; so is what is read from it afterwards */
BEGIN
{
	this->a = (uint64_t)0;
	if (seen) this->a = timestamp;
	printf("%s\n", this->a == timestamp ? "same" : "differs");
	if (execname == "nobody") { this->e = execname; } else { this->e = "other"; }
	printf("%s %d\n", this->e, strlen(execname) > 0);
	this->k = strtok("x:y", ":");
	if (seen) { this->k = strtok(NULL, ":"); }
	printf("%s\n", this->k);
}
BEGIN
/seen/
{
	if (seen == 1)
		if (seen == 2) printf("2");
		else printf("inner else ");
	;
	{ printf("block\n"); }
	exit(seen == 1 ? 0 : 3);
}
