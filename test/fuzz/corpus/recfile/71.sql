UPDATE row SET data = x'ff' WHERE kind = 0
