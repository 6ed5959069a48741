/* SPDX-License-Identifier: Apache-2.0 */
/* strtok walks a string over several clauses of a firing.
 * @options: -q */
BEGIN
{
	this->a = strtok("one,two;;three", ",;");
	this->b = strtok(NULL, ",;");
	this->c = strtok(NULL, ",;");
	this->d = strtok(NULL, ",;");
	printf("[%s] [%s] [%s] [%s]\n", this->a, this->b, this->c, this->d == NULL ? "null" : "text");
	/* the delimiter that ended a token is the first character for the next call */
	this->a = strtok("key=value,rest", "=");
	this->b = strtok(NULL, ",");
	this->c = strtok(NULL, "");
	printf("[%s] [%s] [%s]\n", this->a, this->b, this->c);
	exit(0);
}
