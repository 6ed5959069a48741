#pragma D option pspec
foo_t *x;
