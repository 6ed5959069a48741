UPDATE tracker SET key_size = 16777216; UPDATE field SET size = 8388608 WHERE action = -2
