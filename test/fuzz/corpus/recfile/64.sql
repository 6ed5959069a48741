UPDATE meta SET value = '65536' WHERE key = 'cpus'; UPDATE row SET percpu = '{}' WHERE kind = 2
