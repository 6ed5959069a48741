/* SPDX-License-Identifier: Apache-2.0 */
/* Associative arrays: mixed keys, default 0, deletion by 0, different types of values.
 * @options: -q */
int n[string, int];
string names[int];

BEGIN
{
	n["a", 1] = 10;
	n["a", 2] = 20;
	n["b", 1] = 30;
	n["a", 1] += 5;
	printf("%d %d %d %d\n", n["a", 1], n["a", 2], n["b", 1], n["c", 1]);
	n["a", 1] = 0;
	n["b", 1]++;
	printf("%d %d\n", n["a", 1], n["b", 1]);
	names[1] = "one";
	names[-1] = "minus one";
	printf("[%s] [%s] [%s]\n", names[1], names[-1], names[7]);
	names[1] = 0;
	printf("[%s]\n", names[1]);
	m[1, 'a', (uint8_t)255, "k", -1L] = 77;
	printf("%d %d\n", m[1, 'a', (uint8_t)255, "k", -1L], m[1, 'a', (uint8_t)254, "k", -1L]);
	this->key = 2;
	m2["x"] = 5;
	m2[strjoin("x", "")] += 1;
	printf("%d\n", m2["x"]);
	exit(0);
}
