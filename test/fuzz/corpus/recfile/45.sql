UPDATE row SET data = NULL
