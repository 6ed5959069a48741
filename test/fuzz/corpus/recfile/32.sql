UPDATE field SET kind = 'ustack', nframes = 1
