/* SPDX-License-Identifier: Apache-2.0 */
/* span(): lane, label, start, duration; span is no keyword.
 * @options: -q */
BEGIN
{
	span = timestamp;
	span("disk", "read", 1000000, 250);
	span(strjoin("cpu ", lltostr(3)), execname == "" ? "" : "a label longer than its column", span - span, 0);
	printf("%d\n", span != 0);
	if (span) span("in a branch", "x", (uint64_t)-1, 18000000000);
	exit(0);
}
