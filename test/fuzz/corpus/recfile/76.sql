UPDATE row SET kind = 2, id = 0, data = x'01' || data; PRAGMA user_version = 4
