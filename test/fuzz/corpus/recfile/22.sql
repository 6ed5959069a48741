DELETE FROM field WHERE owner = 1 AND action = 0
