UPDATE format SET size = 16777216; UPDATE aggregation SET key_size = 16777216; UPDATE row SET data = zeroblob(262144)
