UPDATE aggregation SET value_size = 8
