# Expressions of GitHub's workflows, as far as ours use them:
#
#	Expression::expand($text, $context)    ${{ }} in a text
#	Expression::condition($text, $context) an if:, with or without ${{ }}
#
# $context is a hash of hashes.  Its member "" has the functions success, failure,
# cancelled and always, as numbers.  Unknown syntax is an error (die).
package Expression;
use strict;
use warnings;

my ($text, $context);

sub truth {
	my ($x) = @_;
	return defined $x && !ref $x && $x ne '' && $x ne '0' && $x ne 'false' || ref $x ? 1 : 0;
}

sub string {
	my ($x) = @_;
	return defined $x ? $x : '';
}

# Upper and lower case are one when texts are compared.
sub same {
	return lc string($_[0]) eq lc string($_[1]);
}

sub take {
	my ($pattern) = @_;
	return $text =~ s/^\s*($pattern)// ? $1 : undef;
}

# github.event.pull_request.number: what is not there is nothing.
sub lookup {
	my @path = split /\./, $_[0];
	die "unknown context '$path[0]'\n" if !exists $context->{ $path[0] };
	my $x = $context;
	for my $name (@path) {
		$x = ref $x eq 'HASH' ? $x->{$name} : undef;
	}
	return $x;
}

sub primary {
	if (defined take('\(')) {
		my $x = disjunction();
		defined take('\)') or die "no ')' before '$text'\n";
		return $x;
	}
	return truth(primary()) ? 'false' : 'true' if defined take('!(?!=)');
	if (defined(my $quoted = take("'(?:[^']|'')*'"))) {
		$quoted =~ s/^'|'$//g;
		$quoted =~ s/''/'/g;
		return $quoted;
	}
	if (defined(my $number = take('-?[0-9]+(?:\.[0-9]+)?'))) {
		return $number;
	}
	my $name = take('[A-Za-z_][A-Za-z0-9_.-]*') // die "cannot read '$text'\n";
	return $name eq 'null' ? undef : $name if $name =~ /^(true|false|null)$/;
	if (defined take('\(\s*\)')) {
		die "unknown function '$name'\n" if !exists $context->{''}{$name};
		return $context->{''}{$name} ? 'true' : 'false';
	}
	return lookup($name);
}

sub comparison {
	my $x = primary();
	while (defined(my $op = take('==|!='))) {
		my $same = same($x, primary());
		$x = ($op eq '==') == !!$same ? 'true' : 'false';
	}
	return $x;
}

# && and || give one of their operands.
sub conjunction {
	my $x = comparison();
	while (defined take('&&')) {
		my $y = comparison();
		$x = $y if truth($x);
	}
	return $x;
}

sub disjunction {
	my $x = conjunction();
	while (defined take('\|\|')) {
		my $y = conjunction();
		$x = $y if !truth($x);
	}
	return $x;
}

sub evaluate {
	($text, $context) = @_;
	my $x = disjunction();
	$text =~ /^\s*$/ or die "cannot read '$text'\n";
	return $x;
}

sub expand {
	my ($s, $c) = @_;
	$s =~ s/\$\{\{(.*?)\}\}/string(evaluate("$1", $c))/ge if defined $s;
	return $s;
}

# Without a function of its own, a condition is about what went well so far, too.
sub condition {
	my ($s, $c) = @_;
	return $c->{''}{success} if !defined $s || $s eq '';
	$s =~ s/^\s*\$\{\{(.*)\}\}\s*$/$1/;
	my $x = truth(evaluate($s, $c));
	return $s =~ /\b(success|failure|cancelled|always)\s*\(/ ? $x : $x && $c->{''}{success};
}

1;
