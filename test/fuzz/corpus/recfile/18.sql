UPDATE tracker SET key_size = -1
