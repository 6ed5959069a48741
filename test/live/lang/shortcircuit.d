/* SPDX-License-Identifier: Apache-2.0 */
/* The right side of && and || and the branch not taken of ?: are not evaluated: no fault, no assignment.
 * @options: -q */
int zero, n;

BEGIN
{
	zero = 0;
	n = 0;
	this->a = zero && (1 / zero);
	this->b = 1 || (1 / zero);
	this->c = zero ? 1 / zero : 5;
	this->d = zero && n++;
	this->e = 1 || n++;
	printf("%d %d %d %d %d %d\n", this->a, this->b, this->c, this->d, this->e, n);
	exit(0);
}
