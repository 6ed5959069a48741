DROP TABLE source
