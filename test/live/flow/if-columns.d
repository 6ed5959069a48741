/* SPDX-License-Identifier: Apache-2.0 */
/* Each run of actions between branches is a line of its own, as in illumos. */
BEGIN
{
	trace(1);
	trace(2);
	if (pid) { trace(3); } else { trace(4); }
	if (!pid) trace(5);
	trace(6);
	exit(0);
}
