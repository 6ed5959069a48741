UPDATE format SET size = 1 << 40
