UPDATE field SET kind = 'nonsense'
