UPDATE row SET ts = -1
