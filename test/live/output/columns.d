/* SPDX-License-Identifier: Apache-2.0 */
/* The columns CPU, ID, FUNCTION:NAME; trace of each size, strings, bytes; the heading once.
 * @options: -x quiet=0
 * @filter: ids
 * @stderr: any */
BEGIN
{
	trace((int8_t)-3);
	trace((int16_t)-300);
	trace(-70000);
	trace(1234567890123);
	trace((uint64_t)-1);
	trace("text");
}

BEGIN
{
	printf("a %s", "b");
	printf(" c");
}

BEGIN { }

BEGIN
/0/
{
	trace("never");
}

BEGIN { exit(0); }
