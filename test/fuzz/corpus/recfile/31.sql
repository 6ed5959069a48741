UPDATE field SET kind = 'stack', nframes = 1000
