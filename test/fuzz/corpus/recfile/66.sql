INSERT INTO source SELECT 0, 2, 3, value, 'f', 'a', 1, 'b', 2 FROM generate_series(0, 99)
