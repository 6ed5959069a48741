UPDATE hist SET buckets = NULL
