UPDATE row SET kind = 3, id = 1000
