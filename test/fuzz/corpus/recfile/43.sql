UPDATE meta SET value = '0' WHERE key = 'cpus'
