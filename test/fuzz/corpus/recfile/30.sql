UPDATE field SET size = 3 WHERE kind = 'int'
