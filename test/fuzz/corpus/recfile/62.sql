INSERT INTO hist SELECT source, period, start + 1, key, count, sum, max, p50, p90, p99, p999, flags, buckets FROM hist
