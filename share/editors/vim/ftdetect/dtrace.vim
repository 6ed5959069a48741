" SPDX-License-Identifier: Apache-2.0
" Scripts say what they are in their first line, or are in a folder of dwell's library.
autocmd BufNewFile,BufRead *.d if getline(1) =~# '^#!.*\<\%(dwell\|dtrace\)\>' || expand('%:p') =~# '/dlib/' | set filetype=dtrace | endif
