/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's stack has symbol names.
 * @options: -q
 * @filter: offset
 * @trigger: pause 20 */
sched:::off-cpu
/pid == $target && !n/
{
	n = 1;
	stack();
	stack(2);
}
