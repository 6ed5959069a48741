BEGIN { goto x; }
BEGIN { break; }
BEGIN { this int y; }
BEGIN { self; }
BEGIN { return; }
BEGIN { continue; }
BEGIN { switch (1) { } }
BEGIN { else x = 1; }
