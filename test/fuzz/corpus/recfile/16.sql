UPDATE tracker SET name = NULL
