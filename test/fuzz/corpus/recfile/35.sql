UPDATE action SET kind = 'ustack'
