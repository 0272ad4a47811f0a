#!/usr/bin/perl
#
# edits.pl: makes a history of which it is known where every line went.
#
#	edits.pl OUT STEPS SEED FILE...
#
# Each step takes three of the source files as they are for its base, and does to
# them, some of it several times, what people do: lines inserted (half of them
# copies of lines that are there), deleted, changed; blocks indented under a
# condition, or moved; functions moved in the file and to another file, renamed
# with all their calls, copied; variables renamed; blanks changed; files renamed.
# Writes base/, head/, the patches between them and truth, see replay.c.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Path qw(make_path);

my ($out, $steps, $seed, @pool) = @ARGV;
my ($state, $made) = (int($seed), 0);

# A generator of our own: perl's may differ from one machine to the next.
sub below {
	my ($n) = @_;
	$state = ($state * 1103515245 + 12345) % 2147483648;
	return int($state / 65536) % $n;
}

sub pick { return $_[below(scalar @_)] }

# A file is { name, line => [ [id, text]... ] }; an id of 0 is a line that was not there.
sub load {
	my ($path, $side) = @_;
	open my $in, '<', $path or die "$path: $!";
	my ($n, @line) = (0);
	push @line, ["$side " . ++$n, $_] while <$in>;
	return { name => $side, line => \@line };
}

# Functions as [first, last], indices of lines: up to a brace in the column of the first line.
sub functions {
	my ($f) = @_;
	my ($line, $end, @found) = ($f->{line}, -1);
	for my $i (0 .. $#$line) {
		next if $i <= $end || $line->[$i][1] !~ /^(\s*)(?:(?:pub(?:\([a-z]+\))? )?(?:const )?(?:unsafe )?fn \w+|[a-z][\w \*]*[ \*]\w+\()/;
		my $indent = $1;
		next if ($f->{name} !~ /\.rs$/ && $indent ne '') || $line->[$i][1] =~ /;\s*$/;
		for my $k ($i + 1 .. $#$line) {
			last if $line->[$k][1] =~ /^\Q$indent\E[a-z].*\(/ && $line->[$k][1] !~ /^\Q$indent\E\s/ && $k > $i + 3;
			if ($line->[$k][1] =~ /^\Q$indent\E\}\s*$/) {
				push @found, [$i, $k] if $k - $i > 4;
				$end = $k;
				last;
			}
		}
	}
	return @found;
}

# [first, last] of lines inside a function, `most` of them at most
sub block {
	my ($f, $most) = @_;
	my @fn = functions($f) or return;
	my $fn = pick(@fn);
	my $first = $fn->[0] + 2 + below($fn->[1] - $fn->[0] - 2);
	my $last = $first + below($most);
	$last = $fn->[1] - 1 if $last >= $fn->[1];
	return $last < $first ? () : ($fn, $first, $last);
}

sub insert {
	my ($f) = @_;
	my ($fn, $at) = block($f, 1) or return;
	my @new;
	for (0 .. below(4)) {
		my $copy = $f->{line}[$fn->[0] + 1 + below($fn->[1] - $fn->[0] - 1)][1];
		push @new, [0, below(2) ? $copy : "\ttrace_" . ++$made . "(here);\n"];
	}
	splice @{$f->{line}}, $at, 0, @new;
}

sub delete_lines {
	my ($f) = @_;
	my (undef, $first, $last) = block($f, 3) or return;
	splice @{$f->{line}}, $first, $last - $first + 1;
}

sub change {
	my ($f) = @_;
	my (undef, $at) = block($f, 1) or return;
	my $text = \$f->{line}[$at][1];
	my @word = $$text =~ /(\b\w+\b)/g or return;
	my ($from, $to) = (pick(@word), pick('limit', 'count', '17', 'other_value', 'next', 'flags | MORE'));
	$$text =~ s/\b\Q$from\E\b/$to/;
	$$text =~ s/;\n/ + offset;\n/ if below(3) == 0;
}

sub wrap {
	my ($f) = @_;
	my (undef, $first, $last) = block($f, 8) or return;
	my ($indent) = $f->{line}[$first][1] =~ /^([ \t]*)/;
	$_->[1] =~ s/^(?=.)/    / for @{$f->{line}}[$first .. $last];
	splice @{$f->{line}}, $last + 1, 0, [0, "$indent}\n"];
	splice @{$f->{line}}, $first, 0, [0, "${indent}if (wanted_" . ++$made . ") {\n"];
}

sub move {
	my ($f) = @_;
	my ($fn, $first, $last) = block($f, 6) or return;
	my $room = $fn->[1] - $fn->[0] - ($last - $first) - 2;
	return if $room < 1;
	my @moved = splice @{$f->{line}}, $first, $last - $first + 1;
	splice @{$f->{line}}, $fn->[0] + 2 + below($room), 0, @moved;
}

sub blanks {
	my ($f) = @_;
	my (undef, $first, $last) = block($f, 10) or return;
	for (@{$f->{line}}[$first .. $last]) {
		$_->[1] =~ s/\t/  /g;
		$_->[1] =~ s/ ([-+*=]) /$1/g;
	}
}

sub move_function {
	my ($f, $to) = @_;
	my @fn = functions($f) or return;
	my $fn = pick(@fn);
	my @moved = splice @{$f->{line}}, $fn->[0], $fn->[1] - $fn->[0] + 1;
	my @other = functions($to);
	splice @{$to->{line}}, @other ? pick(@other)->[0] : scalar @{$to->{line}}, 0, @moved, [0, "\n"];
}

sub name_of {
	my ($text) = @_;
	return $text =~ /\bfn (\w+)/ || $text =~ /(\w+)\s*\(/ ? $1 : undef;
}

sub rename_function {
	my ($f, $of) = @_;
	my @fn = functions($f) or return;
	my $fn = pick(@fn);
	my $old = name_of($f->{line}[$fn->[0]][1]) or return;
	my $new = $old . '_' . pick('all', 'now', 'fast', 'of');
	for my $any (@$of) {
		$_->[1] =~ s/\b\Q$old\E\b/$new/g for @{$any->{line}};
	}
}

sub rename_variable {
	my ($f) = @_;
	my @fn = functions($f) or return;
	my $fn = pick(@fn);
	my @word = map { $_->[1] =~ /\b([a-z]{1,4})\b(?!\()/g } @{$f->{line}}[$fn->[0] .. $fn->[1]] or return;
	my $old = pick(@word);
	return if $old =~ /^(?:if|for|int|char|void|else|let|mut|fn|pub|self|impl|use|as|in|do|long|enum|goto|case|ref|move|dyn|true|u8|u16|u32|u64|i32|i64|usize)$/;
	$_->[1] =~ s/\b\Q$old\E\b/the_$old/g for @{$f->{line}}[$fn->[0] .. $fn->[1]];
}

sub copy_function {
	my ($f) = @_;
	my @fn = functions($f) or return;
	my $fn = pick(@fn);
	my $old = name_of($f->{line}[$fn->[0]][1]) or return;
	my @copy = map { my $text = $_->[1]; $text =~ s/\b\Q$old\E\b/${old}_again/g; [0, $text] } @{$f->{line}}[$fn->[0] .. $fn->[1]];
	splice @{$f->{line}}, pick(@fn)->[0], 0, @copy, [0, "\n"];
}

my @kinds = (\&insert, \&insert, \&insert, \&delete_lines, \&delete_lines, \&change, \&change, \&change, \&wrap, \&move, \&blanks,
	\&move_function, \&rename_function, \&rename_variable, \&copy_function);

sub save {
	my ($dir, $f) = @_;
	make_path($dir);
	open my $to, '>', "$dir/$f->{name}" or die "$dir/$f->{name}: $!";
	print $to map { $_->[1] } @{$f->{line}};
	close $to or die "$dir/$f->{name}: $!";
}

sub patch {
	my ($dir, $name, @options) = @_;
	open my $from, '-|', "cd '$dir' && git diff --no-index -U0 -M --no-color --no-ext-diff @options base head" or die "git: $!";
	open my $to, '>', "$dir/$name" or die "$dir/$name: $!";
	while (<$from>) {
		s{^rename (from base|to head)/}{'rename ' . ($1 eq 'to head' ? 'to ' : 'from ')}e;
		print $to $_;
	}
	close $to or die "$dir/$name: $!";
}

for my $step (1 .. $steps) {
	my $dir = sprintf '%s/%04d', $out, $step;
	my (%seen, @file);
	while (@file < 3 && keys %seen < @pool) {
		my $path = pick(@pool);
		push @file, load($path, basename($path)) if !$seen{$path}++ && !grep { $_->{name} eq basename($path) } @file;
	}
	save("$dir/base", $_) for @file;
	my @base = map { map { $_->[0] } @{$_->{line}} } @file;
	for my $f (@file) {
		for (0 .. below(7)) {
			my $kind = pick(@kinds);
			$kind == \&move_function ? $kind->($f, below(2) ? $f : pick(@file)) :
			$kind == \&rename_function ? $kind->($f, \@file) : $kind->($f);
		}
		$f->{name} = "new_$f->{name}" if below(8) == 0;
	}
	my %at;
	for my $f (@file) {
		$at{$f->{line}[$_][0]} = "$f->{name} " . ($_ + 1) for 0 .. $#{$f->{line}};
		save("$dir/head", $f);
	}
	open my $truth, '>', "$dir/truth" or die "$dir/truth: $!";
	print $truth map { $_ . ' ' . ($at{$_} // '- -') . "\n" } @base;
	close $truth or die "$dir/truth: $!";
	patch($dir, 'map', '--diff-algorithm=myers');
	patch($dir, 'map.patience', '--diff-algorithm=patience');
	patch($dir, 'map.histogram', '--diff-algorithm=histogram');
	patch($dir, 'map.blanks', '--diff-algorithm=histogram', '--ignore-all-space');
}
