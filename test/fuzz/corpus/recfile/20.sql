UPDATE field SET size = 9 WHERE action = -2
