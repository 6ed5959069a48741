BEGIN { while (1) x; }
BEGIN { int x; }
BEGIN { this int y; }
BEGIN { self; }
BEGIN { return; }
