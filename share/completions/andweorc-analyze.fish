# fish completion for andweorc-analyze
complete -c andweorc-analyze -s f -l format -x -a 'text andweorc json csv html coz folded pprof' -d 'format of the output'
complete -c andweorc-analyze -s p -l point -x -d 'only this progress point'
complete -c andweorc-analyze -l top -x -d 'at most so many regions for each point'
complete -c andweorc-analyze -l by -x -a 'cpu blocked time impact' -d 'what folded stacks count'
complete -c andweorc-analyze -l what-if -x -d 'answer one question from the recorded events'
complete -c andweorc-analyze -l explain -d 'say what the terms of the report mean'
complete -c andweorc-analyze -s h -l help -d help
complete -c andweorc-analyze -s V -l version -d version
