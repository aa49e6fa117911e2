module corridor

go 1.24
