module corridor

go 1.25
