BEGIN { if x { } }
BEGIN { for (;;;) x = 1; }
BEGIN { while () x = 1; }
BEGIN { do x = 1; until (2); }
BEGIN { int = 3; }
BEGIN { for (int i = 0; i < 3) { } trace(1) trace(2); }
BEGIN { if (1) { trace(1; } trace(1); { x = ; } trace(2) }
BEGIN { if (1) { trace(1);
