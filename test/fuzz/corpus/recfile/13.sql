UPDATE hist_key SET text = NULL
