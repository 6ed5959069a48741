UPDATE row SET data = x'ffffffffff' || data
