UPDATE aggregation SET function = 'lquantize', p0 = 0, p1 = 65535, p2 = 1, value_size = 524304
