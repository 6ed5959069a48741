# SPDX-License-Identifier: Apache-2.0
# Completion of dwell for bash. The words come from `dwell complete`; where it has none, files and commands.
# shellcheck shell=bash
_dwell() {
	local line cut cur words=("${COMP_WORDS[@]:1:COMP_CWORD}") i n
	local IFS=$'\n'
	# bash cuts words at ':' and '=': what belongs together is joined again.
	n=()
	for ((i = 0; i < ${#words[@]}; i++)); do
		if ((${#n[@]} > 0)) && { [[ ${words[i]} == :* ]] || [[ ${n[-1]} == *: && ${words[i]} != -* ]]; }; then
			n[-1]+=${words[i]}
		else
			n+=("${words[i]}")
		fi
	done
	[[ ${#n[@]} -gt 0 ]] || n=("")
	cur=${n[-1]}
	cut=
	[[ $cur != *:* || $COMP_WORDBREAKS != *:* ]] || cut=${cur%"${cur##*:}"}
	COMPREPLY=()
	while IFS= read -r line; do
		line=${line%%$'\t'*}
		COMPREPLY+=("${line#"$cut"}")
	done < <("${COMP_WORDS[0]}" complete "${n[@]}" 2>/dev/null | sort -u)
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *: ]] || compopt -o nospace
}
complete -o default -F _dwell dwell
