/* SPDX-License-Identifier: Apache-2.0 */
/* A thread as a key must come from the kernel with its type.
 * @options: -x errtags
 * @expect-exit: 1 */
tracker t (struct task_struct *) { }
BEGIN { begin(t, curthread); begin(t, (struct task_struct *)arg0); }
