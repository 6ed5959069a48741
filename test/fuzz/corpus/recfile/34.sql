UPDATE action SET kind = 'nonsense'
