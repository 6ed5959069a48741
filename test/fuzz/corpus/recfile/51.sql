UPDATE row SET kind = 1, data = x'0102'
