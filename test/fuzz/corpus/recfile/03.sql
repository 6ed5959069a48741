UPDATE slow SET how = 'nonsense'
