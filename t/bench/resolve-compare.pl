# resolve-compare.pl TOOL OURS THEIRS: how the answers of another symboliser differ from ours, by kind, with an example of
# each if BENCH_EXAMPLES is set (characters of a name to show).  OURS is a resolved log, THEIRS pairs of lines, function and file:line, behind a line with the address.
use strict;
use warnings;

my ($tool, $ours, $theirs) = @ARGV;

# The same thing is spelled in many ways; what is left after this is a difference.
sub plain_function {
	my ($f) = @_;
	$f =~ s/ inlined at .*//;                              # eu-addr2line
	$f =~ s/( \[clone [^\]]*\]|\s\(\.[\w.]+\))+$//;        # parts and clones, which we leave out
	$f =~ s/'lambda\d*'(\((?:[^()]++|(?1))*\))?/{lambda}/g; # LLVM's closures
	$f =~ s/\{lambda(\((?:[^()]++|(?1))*\))#\d+\}/{lambda}/g; # GNU's
	$f =~ s/\.(cold|part|isra|constprop)(\.\d+)?$//;
	return $f;
}

sub plain_line {
	my ($l) = @_;
	$l =~ s/ \(discriminator \d+\)//;
	$l =~ s/^(.*?:\d+):\d+$/$1/;                           # eu-addr2line has columns
	$l =~ s{/\./}{/}g;
	1 while $l =~ s{/[^/]+/\.\./}{/};
	return $l =~ /:[0?]$/ ? '?' : $l;
}

sub unescape { my ($s) = @_; $s =~ s/%(..)/chr hex $1/ge; return $s; }

my %ours;
open my $in, '<', $ours or die "$ours: $!\n";
while (<$in>) {
	next unless /^sample/;
	chomp;
	my %f = map { split /=/, $_, 2 } grep { /=/ } split /\t/;
	my $function = unescape($f{function});
	my @chain = ([$function =~ /\+0x[0-9a-f]+$/ ? '??' : $function, ($f{file} // '') ? unescape($f{file}) . ":$f{line}" : '?']);
	for (split /;/, unescape($f{inlined_by} // '')) {
		my ($name, $line) = split /@/, $_, 2;
		push @chain, [unescape($name), unescape($line // '?')];
	}
	$_ = [plain_function($_->[0]), plain_line($_->[1])] for @chain;
	$ours{hex $f{offset}} = \@chain;
}
close $in;

sub letters { my ($s) = @_; $s = lc $s; $s =~ s/\W|lambda|unsigned|long|int//g; return $s; }

# One frame whose line is the same and whose name is not.
sub name_kind {
	my ($our, $their, $i) = @_;
	my ($we, $they) = ($our->[$i][0], $their->[$i][0]);
	return "name they do not demangle" if $they =~ /^_[ZR]/;
	return "spelling of another demangler" if letters($we) eq letters($they);
	return "short name, where DWARF has no linkage name and we take the symbol's" if index($we, $they) >= 0;
	return "short name of DWARF, where they take the symbol's" if index($they, $we) >= 0;
	return "outermost function by another symbol: folded copies" if $i == $#$our;
	return "innermost frame named after the symbol around it" if $i == 0;
	return "another function name";
}

sub kind {
	my ($our, $their) = @_;
	return "they have more frames" if @$their > @$our;
	return "they have fewer frames" if @$their < @$our;
	my @function = grep { $our->[$_][0] ne $their->[$_][0] } 0 .. $#$our;
	my @line = grep { $our->[$_][1] ne $their->[$_][1] } 0 .. $#$our;
	return "same" if !@function && !@line;
	return "line 0: they say so, we say the line before" if @line && !grep { $their->[$_][1] ne '?' } @line;
	return "another line" if @line;
	my %kinds = map { name_kind($our, $their, $_) => 1 } @function;
	return join " + ", sort keys %kinds;
}

my (%count, %example);
sub compare {
	my ($address, $their) = @_;
	my $our = $ours{$address} or return;
	my $kind = kind($our, $their);
	$count{$kind}++;
	$example{$kind} //= sprintf "0x%x\n        we   %s\n        they %s", $address,
		map { join ' < ', map { substr($_->[0], 0, $ENV{BENCH_EXAMPLES} // 0) . " $_->[1]" } @$_ } $our, $their;
}

open $in, '<', $theirs or die "$theirs: $!\n";
my ($address, @lines);
my $flush = sub {
	return unless defined $address;
	my @chain;
	while (@lines > 1) {
		my ($function, $line) = splice @lines, 0, 2;
		push @chain, [plain_function($function), plain_line($line)];
	}
	compare($address, \@chain);
	@lines = ();
};
while (<$in>) {
	chomp;
	if (/^0x([0-9a-f]+)$/) {
		$flush->();
		$address = hex $1;
	} elsif (length) {
		s/^ \(inlined by\) //;
		push @lines, $_;
	}
}
$flush->();

my $all = 0;
$all += $_ for values %count;
die "$tool: no answers\n" unless $all;
printf "%s, %d answers:\n", $tool, $all;
for my $kind (sort { $count{$b} <=> $count{$a} } keys %count) {
	printf "    %7d  %5.1f %%  %s\n", $count{$kind}, 100 * $count{$kind} / $all, $kind;
	print "             e.g. $example{$kind}\n" if $ENV{BENCH_EXAMPLES} && $kind ne 'same';
}
