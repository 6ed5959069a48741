UPDATE row SET data = x'00'
