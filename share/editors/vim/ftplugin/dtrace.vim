" SPDX-License-Identifier: Apache-2.0
" D, the language of dwell and DTrace: comments, and :make checks the program without running it.
if exists("b:did_ftplugin")
	finish
endif
let b:did_ftplugin = 1
setlocal commentstring=/*\ %s\ */ comments=s1:/*,mb:*,ex:*/ cindent noexpandtab
setlocal makeprg=dwell\ -e\ -s\ % errorformat=%.%#:\ %f:\ line\ %l:\ %m,%-G%.%#
let b:undo_ftplugin = "setlocal commentstring< comments< cindent< expandtab< makeprg< errorformat<"
