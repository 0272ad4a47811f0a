# fish completion for andweorc-diff
complete -c andweorc-diff -s f -l format -x -a 'text markdown summary github tsv json' -d 'format of the output'
complete -c andweorc-diff -s p -l point -x -d 'only this progress point'
complete -c andweorc-diff -l map -r -F -d 'output of git diff -U0 -M BASE HEAD'
complete -c andweorc-diff -l margin -x -d 'per cent: changes below are of no interest'
complete -c andweorc-diff -l region-margin -x -d 'per cent: the same for regions'
complete -c andweorc-diff -l fail-on -x -a 'regression change inconclusive' -d 'exit with status 1 on these'
complete -c andweorc-diff -l force -d 'gate although the machines are unlike'
complete -c andweorc-diff -l within-run -d 'let fewer than 3 runs a side decide'
complete -c andweorc-diff -l confirm -r -F -d 'gate on what this earlier result saw too'
complete -c andweorc-diff -l render -r -F -d 'write an earlier result in another format'
complete -c andweorc-diff -l aa -d self-check
complete -c andweorc-diff -l id -x -d 'tells comments apart'
complete -c andweorc-diff -l max-bytes -x -d 'most bytes of markdown or summary'
complete -c andweorc-diff -s h -l help -d help
complete -c andweorc-diff -s V -l version -d version
