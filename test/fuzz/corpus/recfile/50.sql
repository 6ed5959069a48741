UPDATE row SET kind = 2, id = 0
