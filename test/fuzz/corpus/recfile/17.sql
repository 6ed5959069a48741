UPDATE tracker SET id = 5 WHERE id = 1
