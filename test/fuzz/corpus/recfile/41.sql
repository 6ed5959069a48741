UPDATE aggregation SET function = 'lquantize', p0 = 0, p1 = 2147483647, p2 = 1
