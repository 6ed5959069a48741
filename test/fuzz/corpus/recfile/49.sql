UPDATE row SET kind = 99
