/* SPDX-License-Identifier: Apache-2.0 */
/* for, while, do; nested; break and continue; actions in them are records of their own, in order.
 * @options: -q */
BEGIN
{
	int n = 0;
	for (int i = 0; i < 10; i++) {
		if (i == 2) continue;
		if (i == 5) break;
		printf("%d ", i);
		n += i;
		@q = lquantize(i, 0, 10, 5);
	}
	printf("= %d\n", n);
	n = 0;
	for (int i = 0; i < 12; i++)
		for (int j = 0; j <= i; j++) {
			if ((i ^ j) & 1) continue;
			n += j;
			@c[i % 3] = count();
		}
	printf("%d\n", n);
	while (n > 100) n /= 2;
	do { n--; } while (0);
	printf("%d\n", n);
	for (this->k = 0; this->k < 3; this->k++)
		;
	printf("%d\n", this->k);
	string text = "a:bc:d", t = strtok(text, ":");
	while (t != NULL) {
		printf("<%s>", t);
		t = strtok(NULL, ":");
	}
	printf("\n");
	int a[5];
	for (int i = 0; i < 5; i++) a[i] = i * i;
	int sum = 0;
	for (int i = 4; i >= 0; i--) sum = sum * 10 + a[i];
	printf("%d\n", sum);
	exit(0);
}
