module example.org/skins

go 1.19
