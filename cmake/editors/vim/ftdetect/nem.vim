autocmd BufRead,BufNewFile *.nem setfiletype nem
