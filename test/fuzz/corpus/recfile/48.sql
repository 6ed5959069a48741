UPDATE row SET id = -1
