UPDATE aggregation SET key_size = 12
