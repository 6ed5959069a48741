UPDATE field SET size = 8 WHERE owner = 1 AND action = 0 AND pos = 0
