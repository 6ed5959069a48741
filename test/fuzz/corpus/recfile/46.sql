UPDATE row SET data = 'text of some forty-eight bytes, which is no good ' || x'00'
