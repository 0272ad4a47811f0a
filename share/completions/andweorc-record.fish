# fish completion for andweorc-record: its options, then the command as that would be completed by itself.

set -l with_argument -o --output -l --launcher -d --duration -w --wait -n --runs -m --mode -r --region --only -x --exclude -P --point -p --pid -s --speedups --given --design --until \
	--only-function --exclude-function --config --max-regions --seed --sampler --period --window --block --side --commit

# Is there no command yet?
function __andweorc_record_no_command --inherit-variable with_argument
	set -l words (commandline -opc)
	set -e words[1]
	while set -q words[1]
		if contains -- $words[1] $with_argument
			set -e words[1]
		else if test "$words[1]" = --; or not string match -q -- '-*' $words[1]
			return 1
		end
		set -e words[1]
	end
	return 0
end

complete -c andweorc-record -x -a "(__fish_complete_subcommand -- $with_argument)"

set -l option -c andweorc-record -n __andweorc_record_no_command
complete $option -s o -l output -r -F -d 'write the log here'
complete $option -s l -l launcher -x -d 'the command starts the program on other hosts: record its word that matches'
complete $option -s d -l duration -x -d 'seconds of experiments'
complete $option -s w -l wait -x -d 'seconds before anything is measured'
complete $option -s n -l runs -x -d 'run the command this many times'
complete $option -s m -l mode -x -a 'line function' -d 'what regions are'
complete $option -s r -l region -x -a ':io :sleep :lock :runqueue :alloc' -d 'a region to experiment with'
complete $option -s P -l point -x -a ':output :input :replies :parallel :mpi :kokkos :work :run ?' -d 'code whose execution is progress'
complete $option -s s -l speedups -x -a '25,50 15,30,50,75' -d 'virtual speedups in per cent'
complete $option -l given -x -d 'measure the others with this region that much faster'
complete $option -l design -x -a 'fixed adaptive' -d 'where windows go'
complete $option -l until -x -d 'end when slopes are known so well'
complete $option -l only -r -F -d 'regions only in such source files or modules'
complete $option -s x -l exclude -r -F -d 'no regions in such source files or modules'
complete $option -l only-function -x -d 'regions only in functions that are called so'
complete $option -l exclude-function -x -d 'no regions in functions that are called so'
complete $option -l max-regions -x -d 'at most this many regions found by sampling'
complete $option -l seed -x -d 'of the order of experiments'
complete $option -l sampler -x -a 'perf timer' -d 'how samples are taken'
complete $option -l period -x -d 'microseconds between samples'
complete $option -l window -x -d 'least length of an experiment, in milliseconds'
complete $option -s p -l pid -x -d 'observe this process, which runs already'
complete $option -l attach-only -d 'perform no experiment, and pause nobody'
complete $option -l start-paused -d 'no experiment until it is started'
complete $option -l show-output -d 'show what the command writes in each run'
complete $option -l config -r -F -d 'read options from here'
complete $option -l print-config -d 'write the options that are in force, and run nothing'
complete $option -l block -x -d 'recordings made side by side have the same'
complete $option -l side -x -a 'base head' -d 'of a comparison'
complete $option -l commit -x -d 'what was built'
complete $option -s q -l quiet -d 'no progress on a terminal'
complete $option -s h -l help -d help
complete $option -s V -l version -d version
