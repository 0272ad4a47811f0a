#!/bin/sh
# andweorc-plot: output files are whole or untouched, and each failure of gnuplot gives one line of message.
. "$(dirname "$0")/lib.sh"

head=$data/plot/head.aw
mkdir fake

# fake BODY: a gnuplot that does that
fake() {
	printf '#!/bin/sh\n%s\n' "$1" >fake/gnuplot
	chmod +x fake/gnuplot
}

# With the fake first in PATH; the old picture must survive.
failure_is_told() {
	echo old >chart.svg
	PATH=$scratch/fake:$PATH exits 2 andweorc-plot -o chart.svg "$head" >out 2>err
	empty out
	echo "andweorc-plot: $1" >line
	same line err
	echo old >line
	same line chart.svg
	ls >made
	lacks 'chart.svg.' made
}

no_gnuplot() {
	PATH=/nowhere exits 2 "$O/andweorc-plot" -o none.svg "$head" >out 2>err
	empty out
	test ! -e none.svg
	same - err <<-\END
	andweorc-plot: cannot find gnuplot; install it (apt-get install gnuplot-nox), or save the script with --script
	END
	# The same for a picture of characters, on standard output.
	PATH=/nowhere exits 2 "$O/andweorc-plot" "$head" >out 2>err
	empty out
	has 'cannot find gnuplot' err
}

gnuplot_fails() {
	fake 'cat >/dev/null; echo "line 7: bad thing" >&2; exit 1'
	failure_is_told 'gnuplot failed: line 7: bad thing'
	fake 'printf "\n         ^\n     line 12: all points y value undefined!\n\n" >&2; exit 1'
	failure_is_told 'gnuplot failed: line 12: all points y value undefined!'
	fake 'printf "\033[2Jx\n" >&2; exit 1'
	failure_is_told 'gnuplot failed: \x1b[2Jx'
	fake 'exit 3'
	failure_is_told 'gnuplot failed with status 3'
	fake 'kill -SEGV $$'
	failure_is_told 'gnuplot was ended by signal 11'
}

gnuplot_draws_nothing() {
	fake 'cat >/dev/null'
	failure_is_told 'gnuplot wrote no whole picture'
	fake 'echo "<svg>half a picture"'
	failure_is_told 'gnuplot wrote no whole picture'
	fake 'echo "<svg>"; echo "disk full" >&2'
	failure_is_told 'gnuplot wrote no whole picture: disk full'
}

# gnuplot gets the script on its standard input, without a shell or settings of the user.
gnuplot_gets() {
	fake 'printf "%s\n" "$@" >"'"$scratch"'/args"; cat >"'"$scratch"'/stdin"; env >"'"$scratch"'/env"; echo "<svg></svg>"'
	GNUTERM=x11 PATH=$scratch/fake:$PATH exits 0 andweorc-plot -o chart.svg --script chart.gp "$head" >out 2>err
	echo -d >line
	same line args
	same chart.gp stdin
	lacks '^GNUTERM=' env
	has '^LC_ALL=C.UTF-8$' env
	has '^<svg role="img" ' chart.svg
	tail -n 1 chart.svg >last
	echo '</svg>' | same - last
}

file_cannot_be_made() {
	exits 2 andweorc-plot -o no/such/dir/chart.svg "$head" >out 2>err
	same - err <<-\END
	andweorc-plot: cannot write 'no/such/dir/chart.svg': No such file or directory
	END
	exits 2 andweorc-plot --script no/such/dir/chart.gp "$head" >out 2>err
	same - err <<-\END
	andweorc-plot: cannot write 'no/such/dir/chart.gp': No such file or directory
	END
	mkdir -p directory.svg
	exits 2 andweorc-plot -o directory.svg "$head" >out 2>err
	same - err <<-\END
	andweorc-plot: cannot open 'directory.svg': Is a directory
	END
}

full_disk() {
	ln -sf /dev/full full.svg
	exits 2 andweorc-plot -o full.svg "$head" >out 2>err
	same - err <<-\END
	andweorc-plot: cannot write 'full.svg': No space left on device
	END
	test -c full.svg
	exits 2 andweorc-plot --script /dev/full "$head" >out 2>err
	same - err <<-\END
	andweorc-plot: cannot write '/dev/full': No space left on device
	END
	for option in "--script=-" "--top=1"; do
		exits 2 andweorc-plot $option "$head" >/dev/full 2>err
		same - err <<-\END
		andweorc-plot: cannot write standard output: No space left on device
		END
	done
}

# A limit on the size of files: the write fails after it began, the old file stays, nothing is left behind.
half_written() {
	echo old >chart.gp
	(
		ulimit -f 2
		trap '' XFSZ
		exits 2 andweorc-plot --script chart.gp "$head" >out 2>err
	)
	same - err <<-\END
	andweorc-plot: cannot write 'chart.gp': File too large
	END
	echo old >line
	same line chart.gp
	ls -a >made
	lacks 'chart.gp.' made
}

modes_and_links() {
	(umask 027 && exits 0 andweorc-plot -o fresh.svg "$head")
	test "$(stat -c %a fresh.svg)" = 640
	chmod 604 fresh.svg
	exits 0 andweorc-plot -o fresh.svg "$head"
	test "$(stat -c %a fresh.svg)" = 604
	mkdir -p elsewhere
	echo old >elsewhere/real.svg
	ln -sf elsewhere/real.svg link.svg
	exits 0 andweorc-plot -o link.svg "$head"
	test -h link.svg
	has '</svg>' elsewhere/real.svg
	mkfifo pipe.svg
	cat pipe.svg >copy &
	exits 0 andweorc-plot -o pipe.svg "$head"
	wait
	test -p pipe.svg
	same fresh.svg copy
}

# A reader that leaves is no error.
reader_leaves() {
	(trap '' PIPE; run andweorc-plot -t 12 "$head" 2>err; echo "$status" >status) | true
	echo 0 >line
	same line status
	empty err
}

check 'no gnuplot: what to install' no_gnuplot
check 'gnuplot fails' gnuplot_fails
check 'gnuplot draws nothing, or half' gnuplot_draws_nothing
check 'gnuplot gets the script and nothing else' gnuplot_gets
if command -v gnuplot >/dev/null; then
	check 'file that cannot be made' file_cannot_be_made
	check 'full disk' full_disk
	check 'a failed write leaves the old file' half_written
	check 'modes, links, pipes' modes_and_links
	check 'reader that leaves' reader_leaves
else
	skip 'output files' 'no gnuplot'
fi

done_testing
