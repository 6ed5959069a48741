UPDATE row SET data = zeroblob(3 + length(data)) WHERE kind IN (0, 2)
