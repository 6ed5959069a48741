BEGIN { trace((1 + 2; }
BEGIN { trace(1)); }
BEGIN { x]; }
