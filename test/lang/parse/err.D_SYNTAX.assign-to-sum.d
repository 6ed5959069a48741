BEGIN { a + b = c; }
BEGIN { (int)x = 3; }
BEGIN { a ? b : c = d; }
