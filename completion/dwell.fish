# SPDX-License-Identifier: Apache-2.0
# Completion of dwell for fish. The words come from `dwell complete`; where it has none, files.
function __dwell_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    command $words[1] complete $words[2..-1] "$last" 2>/dev/null
end
complete -c dwell -a '(__dwell_complete)'
