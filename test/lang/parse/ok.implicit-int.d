/* Variables of threads and clauses without a type are int. */
self x, y[string];
this z;
self const w;
