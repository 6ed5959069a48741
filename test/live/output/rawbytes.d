/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and structs traced as bytes: text if they look like it.
 * @options: -q */
struct two { int a; int b; };

BEGIN
{
	this->p = (struct two *)alloca(sizeof (struct two));
	this->p->a = 1;
	this->p->b = 2;
	trace(*this->p);
	exit(0);
}
