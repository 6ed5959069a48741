/* SPDX-License-Identifier: Apache-2.0 */
/* rand, speculation numbers.
 * @options: -q */
BEGIN
{
	this->a = rand();
	this->b = rand();
	this->c = rand();
	printf("%d\n", this->a != this->b || this->b != this->c);
	exit(0);
}
