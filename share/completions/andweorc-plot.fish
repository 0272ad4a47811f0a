# fish completion for andweorc-plot
complete -c andweorc-plot -s o -l output -r -F -d 'write this file'
complete -c andweorc-plot -s p -l point -x -d 'draw this progress point only'
complete -c andweorc-plot -s t -l top -x -d 'draw at most so many regions of each point'
complete -c andweorc-plot -l base -r -F -d 'draw this analysis behind'
complete -c andweorc-plot -l map -r -F -d 'output of git diff -U0 -M BASE HEAD'
complete -c andweorc-plot -l margin -x -d 'per cent: as of andweorc-diff'
complete -c andweorc-plot -l region-margin -x -d 'per cent: as of andweorc-diff'
complete -c andweorc-plot -l theme -x -a 'light dark auto' -d colours
complete -c andweorc-plot -l title -x -d heading
complete -c andweorc-plot -l script -r -F -d 'save the gnuplot script'
complete -c andweorc-plot -s h -l help -d help
complete -c andweorc-plot -s V -l version -d version
