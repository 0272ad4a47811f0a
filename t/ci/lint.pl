#!/usr/bin/perl
# Looks for mistakes in workflows and actions, above all for those that give a pull
# request more than it should have:
#
#	t/ci/lint.pl FILE.yml...
#
# A line for each, and exit status 1 when there is any.
use strict;
use warnings;
use CPAN::Meta::YAML;

my ($file, $bad);

sub complain {
	my ($where, $what) = @_;
	print "$file: $where: $what\n";
	$bad = 1;
}

# The keywords of GitHub that are used here: any other word is a typing error.
my %known = (
	workflow => [qw(name on permissions concurrency defaults env jobs)],
	job => [qw(name needs if runs-on timeout-minutes strategy permissions env defaults steps concurrency outputs)],
	step => [qw(name id if uses with run shell env working-directory continue-on-error timeout-minutes)],
	action => [qw(name description inputs outputs runs)],
);

sub check_keys {
	my ($where, $kind, $hash) = @_;
	for my $key (sort keys %$hash) {
		complain($where, "unknown key '$key'") if !grep { $_ eq $key } @{ $known{$kind} };
	}
}

# Every text in a structure, with the way to it.
sub texts {
	my ($x, @path) = @_;
	return map { texts($x->{$_}, @path, $_) } sort keys %$x if ref $x eq 'HASH';
	return map { texts($x->[$_], @path, $_) } 0 .. $#$x if ref $x eq 'ARRAY';
	return defined $x ? [join('.', @path), $x] : ();
}

sub check_uses {
	my ($where, $step, $text) = @_;
	my $uses = $step->{uses};
	return if $uses =~ m{^\./[A-Za-z0-9_/.-]+$};
	return complain($where, "'$uses' is not pinned by the hash of a commit") if $uses !~ /^[A-Za-z0-9_.\/-]+\@[0-9a-f]{40}$/;
	# Which release that is, for people; zeros are for the user to fill in.
	return if $uses =~ /\@0{40}$/;
	complain($where, "'$uses' does not say which release it is") if $text !~ /\Q$uses\E # v[0-9]+\.[0-9]+\.[0-9]+$/m;
}

sub check_step {
	my ($where, $step, $text) = @_;
	check_keys($where, 'step', $step);
	complain($where, 'one of uses and run') if !!$step->{uses} == !!$step->{run};
	if ($step->{run}) {
		complain($where, 'a run step needs shell: bash, or a pipe hides failures') if ($step->{shell} // '') ne 'bash';
		complain($where, 'an expression in run becomes a part of the script; pass it in env') if $step->{run} =~ /\$\{\{/;
		complain($where, 'with belongs to uses') if $step->{with};
		return;
	}
	check_uses($where, $step, $text);
	complain($where, 'shell and env belong to run') if $step->{shell};
	complain($where, "overwrite: true, or a job that is run again fails: its artifact is there")
		if $step->{uses} =~ m{^actions/upload-artifact@} && ($step->{with}{overwrite} // '') ne 'true';
	if ($step->{uses} =~ m{^actions/checkout@}) {
		complain($where, 'persist-credentials: false, or the build can read the token')
			if ($step->{with}{'persist-credentials'} // '') ne 'false';
	}
}

sub check_permissions {
	my ($where, $permissions, $trusted) = @_;
	return complain($where, "permissions '$permissions'") if ref $permissions ne 'HASH';
	for my $what (sort keys %$permissions) {
		my $how = $permissions->{$what};
		complain($where, "bad permission '$what: $how'") if $how !~ /^(read|write|none)$/;
		next if $how ne 'write';
		complain($where, "'$what: write' in a workflow that runs the code of a pull request") if !$trusted;
	}
}

sub check_job {
	my ($name, $job, $workflow, $text) = @_;
	my $where = "job $name";
	my $trusted = exists $workflow->{on}{workflow_run};
	check_keys($where, 'job', $job);
	check_permissions($where, $job->{permissions}, $trusted) if $job->{permissions};
	complain($where, 'no timeout-minutes') if !$job->{'timeout-minutes'};
	complain($where, "a machine that changes: '" . ($job->{'runs-on'} // '') . "'") if ($job->{'runs-on'} // '') !~ /^[a-z]+-[0-9]+\.[0-9]+$/;
	for my $need (ref $job->{needs} ? @{ $job->{needs} } : $job->{needs} // ()) {
		complain($where, "needs '$need', which is no job") if !$workflow->{jobs}{$need};
	}
	if ($job->{strategy}) {
		complain($where, 'fail-fast: a shard that fails takes the others with it') if ($job->{strategy}{'fail-fast'} // '') ne 'false';
	}
	my $number = 0;
	for my $step (@{ $job->{steps} }) {
		my $at = "$where, step " . ++$number;
		check_step($at, $step, $text);
		complain($at, 'a token that may write, and code of a pull request')
			if $trusted && ($step->{uses} // '') =~ m{^actions/checkout@} && $step->{with}{ref};
	}
	for my $found (texts($job)) {
		while ($found->[1] =~ /\bmatrix\.([A-Za-z0-9_-]+)/g) {
			complain("$where, $found->[0]", "no '$1' in the matrix") if !exists $job->{strategy}{matrix}{$1};
		}
	}
}

sub check_workflow {
	my ($workflow, $text) = @_;
	check_keys('workflow', 'workflow', $workflow);
	complain('workflow', 'pull_request_target: a token that may write, and code of a pull request') if exists $workflow->{on}{pull_request_target};
	if ($workflow->{permissions}) {
		check_permissions('workflow', $workflow->{permissions}, 0);
	} else {
		complain('workflow', 'no permissions: the token then has what the repository gives it');
	}
	check_job($_, $workflow->{jobs}{$_}, $workflow, $text) for sort keys %{ $workflow->{jobs} };
}

sub check_action {
	my ($action, $text) = @_;
	check_keys('action', 'action', $action);
	my ($number, %id) = (0);
	for my $step (@{ $action->{runs}{steps} }) {
		check_step('step ' . ++$number, $step, $text);
		$id{ $step->{id} } = 1 if $step->{id};
	}
	for my $found (texts($action)) {
		while ($found->[1] =~ /\b(inputs|steps)\.([A-Za-z0-9_-]+)/g) {
			my $there = $1 eq 'inputs' ? exists $action->{inputs}{$2} : $id{$2};
			complain($found->[0], "no '$2' in $1") if !$there;
		}
	}
}

for (@ARGV) {
	$file = $_;
	open my $in, '<:raw', $file or die "$file: $!\n";
	my $text = do { local $/; <$in> };
	my $docs = eval { CPAN::Meta::YAML->read_string($text) }; # dies, or not, by its version
	if (!$docs || ref $docs->[0] ne 'HASH') {
		complain('file', 'no YAML: ' . (($@ || CPAN::Meta::YAML->errstr || '?') =~ s/ at \S+ line.*//sr));
	} elsif ($docs->[0]{runs}) {
		check_action($docs->[0], $text);
	} else {
		check_workflow($docs->[0], $text);
	}
}
exit($bad ? 1 : 0);
