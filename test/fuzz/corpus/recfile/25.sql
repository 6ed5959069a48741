UPDATE format SET size = 8 WHERE epid = 1
