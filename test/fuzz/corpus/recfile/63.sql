UPDATE row SET value = '{"0":-9223372036854775808}', percpu = '{"3779":1}' WHERE kind = 2
