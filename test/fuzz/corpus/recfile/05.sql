UPDATE process SET kind = 'nonsense'
