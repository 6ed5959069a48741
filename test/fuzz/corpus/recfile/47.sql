UPDATE row SET id = 3
