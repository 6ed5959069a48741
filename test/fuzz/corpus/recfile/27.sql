UPDATE format SET epid = 7 WHERE epid = 2
