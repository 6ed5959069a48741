int x = 3;
foo_t y = 4;
