# fish completion for andweorc-resolve
complete -c andweorc-resolve -l debug-dir -x -a '(__fish_complete_directories)' -d 'look for separate debug files here'
complete -c andweorc-resolve -l path-map -x -d 'OLD=NEW: read what is under OLD from under NEW'
complete -c andweorc-resolve -s h -l help -d help
complete -c andweorc-resolve -s V -l version -d version
