CREATE TABLE s2 AS SELECT * FROM source; DROP TABLE source; CREATE VIEW source AS SELECT tgid, start, addr, pos, 1.5 AS function, file, 'x' AS line, def_file, def_line FROM s2
