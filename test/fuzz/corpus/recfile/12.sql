UPDATE hist_key SET data = x'00'
