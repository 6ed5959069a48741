UPDATE row SET data = x'00000000' WHERE kind = 0; UPDATE row SET data = x'00' WHERE kind = 2
