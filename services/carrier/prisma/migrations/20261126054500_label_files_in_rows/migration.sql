-- Most files have 2.5 to 6 KB. In the row itself, a file is read without a second index and a second table.
ALTER TABLE label_files SET (toast_tuple_target = 8160);
