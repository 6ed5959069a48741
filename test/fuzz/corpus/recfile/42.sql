UPDATE aggregation SET id = 3
