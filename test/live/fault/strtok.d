/* SPDX-License-Identifier: Apache-2.0 */
/* strtok(NULL) without a text that it could go on with, also in a branch that was not taken;
 * a text that is the NULL of strstr().
 * @options: -q
 * @filter: pc id */
BEGIN
{
	trace(strtok(NULL, ","));
}

BEGIN
{
	if (pid == 0)
		trace(strtok("a,b", ","));
	trace(strtok(NULL, ","));
}

BEGIN
{
	trace(strtok(strstr("abc", "x"), ","));
}

BEGIN
{
	trace(strtok("a,b", ",") != NULL ? "first" : "none");
	exit(0);
}
