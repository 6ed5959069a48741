UPDATE meta SET value = '18446744073709551616' WHERE key = 'wall_off_ns'
