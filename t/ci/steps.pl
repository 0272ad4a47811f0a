#!/usr/bin/perl
# Runs the steps of a workflow here, in order, as GitHub's runner would:
#
#	t/ci/steps.pl --event NAME=EVENT.json --repository DIR --action PREFIX=DIR
#		--out DIR [--token TOKEN] [--env NAME=VALUE]... WORKFLOW.yml
#
# --repository is what actions/checkout gets, at the event's ref; --action says
# where the action `PREFIX@...` is.  Artifacts are directories in OUT/artifacts.
# Each job has a workspace and a temporary directory of its own, and nothing of
# our environment.
#
# Leaves in OUT: log, summary.md, annotations (TYPE, FILE, LINE, TITLE and MESSAGE,
# TABs between), jobs (NAME and RESULT).  Exit status: 0 all jobs succeeded, 1 not
# all, 2 there is something that cannot be done here.
use strict;
use warnings;
use CPAN::Meta::YAML;
use Cwd qw(abs_path getcwd);
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use JSON::PP;
use lib dirname(abs_path(__FILE__));
use Expression;

my (%option, %action, %extra);
while (@ARGV > 1) {
	my ($name, $value) = splice @ARGV, 0, 2;
	if ($name eq '--action') {
		my ($prefix, $dir) = split /=/, $value, 2;
		$action{$prefix} = abs_path($dir);
	} elsif ($name eq '--env') {
		my ($key, $text) = split /=/, $value, 2;
		$extra{$key} = $text;
	} else {
		$option{ $name =~ s/^--//r } = $value;
	}
}
my ($event_name, $event_file) = split /=/, $option{event}, 2;
make_path("$option{out}/artifacts");
my $out = abs_path($option{out});
my $event = JSON::PP->new->utf8->decode(slurp($event_file));
my %github = (
	event => $event, event_name => $event_name, run_id => $event->{test}{run_id} // 1, run_attempt => 1, token => $option{token} // '',
	repository => $event->{repository}{full_name} // 'o/r', sha => $event->{test}{sha} // '', ref => $event->{test}{ref} // '',
	server_url => 'https://github.com', workflow => 'test',
);

sub slurp {
	open my $in, '<:raw', $_[0] or die "$_[0]: $!\n";
	local $/;
	return scalar(<$in>) // '';
}

sub note {
	my ($file, $text) = @_;
	open my $to, '>>:raw', "$out/$file" or die "$out/$file: $!\n";
	print $to $text;
}

sub yaml {
	my $docs = CPAN::Meta::YAML->read_string(slurp($_[0])) or die "$_[0]: " . CPAN::Meta::YAML->errstr . "\n";
	return $docs->[0];
}

# NAME=VALUE lines, and NAME<<END ... END
sub assignments {
	my ($file) = @_;
	my @lines = split /\n/, slurp($file);
	my %set;
	while (defined(my $line = shift @lines)) {
		if ($line =~ /^([^=<]+)<<(.+)$/) {
			my ($name, $end, @text) = ($1, $2);
			push @text, shift @lines while @lines && $lines[0] ne $end;
			@lines or die "$file: no '$end'\n";
			shift @lines;
			$set{$name} = join "\n", @text;
		} elsif ($line =~ /^([^=]+)=(.*)$/) {
			$set{$1} = $2;
		} elsif ($line ne '') {
			die "$file: bad line '$line'\n";
		}
	}
	return %set;
}

# A line of output, as the runner takes it.
sub command_line {
	my ($job, $line) = @_;
	if (defined $job->{stopped}) {
		$job->{stopped} = undef if $line eq "::$job->{stopped}::";
		return;
	}
	return if $line !~ /^\s*::([a-z-]+)(?: ([^:]*))?::(.*)$/;
	my ($name, $properties, $message) = ($1, $2 // '', $3);
	if ($name eq 'stop-commands') {
		$job->{stopped} = $message;
	} elsif ($name =~ /^(error|warning|notice)$/) {
		my %p = map { my ($k, $v) = split /=/, $_, 2; ($k => $v // '') } split /,/, $properties;
		for ($message, values %p) {
			s/%0D/\r/g, s/%0A/\n/g, s/%3A/:/g, s/%2C/,/g, s/%25/%/g;
			s/\n/\\n/g;
		}
		return if ++$job->{annotations}{$name} > 10; # of each kind, a step
		note('annotations', join("\t", $name, map({ $_ // '' } @p{qw(file line title)}), $message) . "\n");
	}
}

my $serial = 0;

sub run_script {
	my ($job, $context, $step, $env) = @_;
	my $shell = $step->{shell} // $job->{shell} // die "a run step without shell:\n";
	$shell eq 'bash' or die "shell '$shell'\n";
	my $temp = $job->{temp};
	my %file = map { $_ => "$temp/" . lc($_) . '.' . ++$serial } qw(GITHUB_OUTPUT GITHUB_ENV GITHUB_PATH GITHUB_STEP_SUMMARY);
	for my $path (values %file) {
		open my $new, '>', $path or die "$path: $!\n";
	}
	my $script = "$temp/step.$serial.sh";
	open my $to, '>:raw', $script or die "$script: $!\n";
	print $to Expression::expand($step->{run}, $context);
	close $to;
	my $pid = open(my $from, '-|') // die "fork: $!\n";
	if (!$pid) {
		%ENV = (%{ $job->{env} }, %$env, %file);
		chdir($step->{'working-directory'} ? "$job->{workspace}/" . Expression::expand($step->{'working-directory'}, $context)
			: $job->{workspace}) or exit 126;
		open STDIN, '<', '/dev/null';
		open STDERR, '>&', \*STDOUT;
		exec 'bash', '--noprofile', '--norc', '-eo', 'pipefail', $script or exit 127;
	}
	while (my $line = <$from>) {
		note('log', $line);
		$line =~ s/\r?\n$//;
		command_line($job, $line);
	}
	close $from;
	my $status = $?;
	$job->{stopped} = undef;
	my %set = assignments($file{GITHUB_ENV});
	@{ $job->{env} }{ keys %set } = values %set;
	$job->{env}{PATH} = "$_:$job->{env}{PATH}" for split /\n/, slurp($file{GITHUB_PATH});
	my $summary = slurp($file{GITHUB_STEP_SUMMARY});
	length $summary <= 1024 * 1024 ? note('summary.md', $summary) : note('annotations', "error\t\t\t\tsummary too large\n");
	my %outputs = assignments($file{GITHUB_OUTPUT});
	return ($status == 0, \%outputs);
}

# The actions that are not ours.
sub checkout {
	my ($job, $with) = @_;
	my $from = 'file://' . abs_path($option{repository});
	my $depth = $with->{'fetch-depth'} // 1;
	system('git', 'init', '-q', $job->{workspace}) == 0
		&& system('git', '-C', $job->{workspace}, 'fetch', '-q', ($depth ? "--depth=$depth" : ()), $from, $github{ref}) == 0
		&& system('git', '-C', $job->{workspace}, 'checkout', '-q', '--detach', 'FETCH_HEAD') == 0 or return 0;
	return 1;
}

sub copy_all {
	my ($from, $to) = @_;
	make_path($to);
	return system('cp', '-r', "$from/.", $to) == 0;
}

sub upload {
	my ($job, $with) = @_;
	my $to = "$out/artifacts/$github{run_id}/$with->{name}";
	if (-e $to) { # names are unique
		return 0 if ($with->{overwrite} // '') ne 'true';
		remove_tree($to);
	}
	my $from = $with->{path};
	$from = "$job->{workspace}/$from" if $from !~ m{^/};
	return copy_all($from, $to) if -d $from && (() = glob "$from/*");
	if (-f $from) {
		make_path($to);
		return copy($from, $to);
	}
	return ($with->{'if-no-files-found'} // 'warn') ne 'error';
}

sub download {
	my ($job, $with) = @_;
	my $run = "$out/artifacts/$github{run_id}";
	my $to = $with->{path} // '.';
	$to = "$job->{workspace}/$to" if $to !~ m{^/};
	my @found = map { s{.*/}{}r } glob "$run/" . ($with->{pattern} // $with->{name});
	for my $name (@found) {
		my $into = $with->{name} || ($with->{'merge-multiple'} // '') eq 'true' ? $to : "$to/$name";
		copy_all("$run/$name", $into) or return 0;
	}
	return @found || $with->{pattern};
}

my %foreign = (
	'actions/checkout' => \&checkout, 'actions/upload-artifact' => \&upload, 'actions/download-artifact' => \&download,
);

sub use_action {
	my ($job, $context, $step, $env) = @_;
	my $own = $step->{uses} =~ m{^\./(.+)$} ? "$job->{workspace}/$1" : undef; # of what was checked out
	my ($name) = $step->{uses} =~ /^(\.[^@]+|[^@]+(?=@[0-9a-f]{40}$))/ or die "an action that is not pinned: $step->{uses}\n";
	my %with = map { $_ => Expression::expand($step->{with}{$_}, $context) } keys %{ $step->{with} // {} };
	return ($foreign{$name}->($job, \%with), {}) if $foreign{$name};
	my $dir = $own // $action{$name} // die "unknown action '$name'\n";
	my $action = yaml("$dir/action.yml");
	$action->{runs}{using} eq 'composite' or die "$dir/action.yml is no composite action\n";
	for my $input (keys %with) {
		exists $action->{inputs}{$input} or die "$dir/action.yml has no input '$input'\n";
	}
	my %inner = (%$context, steps => {}, inputs => {});
	$inner{github} = { %{ $context->{github} }, action_path => $dir };
	for my $input (keys %{ $action->{inputs} }) {
		my $spec = $action->{inputs}{$input};
		$inner{inputs}{$input} = $with{$input} // Expression::expand($spec->{default} // '', $context);
		die "$name needs '$input'\n" if ($spec->{required} // '') eq 'true' && !defined $with{$input};
	}
	my $good = steps($job, \%inner, $action->{runs}{steps}, { %$env, GITHUB_ACTION_PATH => $dir }, undef);
	my %outputs = map { $_ => Expression::expand($action->{outputs}{$_}{value}, \%inner) } keys %{ $action->{outputs} // {} };
	return ($good, \%outputs);
}

# All steps of a job, or of an action.  A step that fails leaves those that ask for it.
sub steps {
	my ($job, $context, $steps, $env, $shell) = @_;
	my $good = 1;
	local $job->{shell} = $shell;
	for my $step (@$steps) {
		$context->{''} = { success => $good, failure => !$good, cancelled => 0, always => 1 };
		my $id = $step->{id} // '';
		my $label = $step->{name} // $step->{uses} // (split /\n/, $step->{run})[0];
		if (!Expression::condition($step->{if}, $context)) {
			$context->{steps}{$id} = { outcome => 'skipped', outputs => {} };
			next;
		}
		note('log', "== $label\n");
		$job->{annotations} = {} if !$context->{inputs} || !%{ $context->{inputs} }; # a composite action is one step
		my %env = (%$env, map { $_ => Expression::expand($step->{env}{$_}, $context) } keys %{ $step->{env} // {} });
		my ($ok, $outputs) = $step->{uses} ? use_action($job, $context, $step, \%env) : run_script($job, $context, $step, \%env);
		note('log', "== failed: $label\n") if !$ok;
		$context->{steps}{$id} = { outcome => $ok ? 'success' : 'failure', outputs => $outputs };
		$good = 0 if !$ok && ($step->{'continue-on-error'} // '') ne 'true';
	}
	return $good;
}

# Every choice of the matrix, in order.
sub combinations {
	my ($matrix) = @_;
	my @all = ({});
	for my $key (sort keys %{ $matrix // {} }) {
		@all = map { my $one = $_; map { { %$one, $key => $_ } } @{ $matrix->{$key} } } @all;
	}
	return @all;
}

# The environment at the begin of a job, and nothing else.
sub environment {
	my ($temp, $workspace) = @_;
	return {
		PATH => '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME => $temp, LANG => 'C.UTF-8', CI => 'true',
		GITHUB_ACTIONS => 'true', RUNNER_TEMP => $temp, GITHUB_WORKSPACE => $workspace, GITHUB_EVENT_PATH => abs_path($event_file),
		GITHUB_EVENT_NAME => $event_name, GITHUB_RUN_ID => $github{run_id}, GITHUB_RUN_ATTEMPT => 1, GITHUB_SHA => $github{sha},
		GITHUB_REPOSITORY => $github{repository}, GITHUB_SERVER_URL => $github{server_url}, %extra,
	};
}

# One job of the matrix.
sub run_job {
	my ($workflow, $name, $spec, $matrix, $context) = @_;
	my $title = join '.', $name, map { $matrix->{$_} } sort keys %$matrix;
	my ($temp, $workspace) = ("$out/$title/temp", "$out/$title/workspace");
	make_path($temp, $workspace);
	my %own = (%$context, matrix => $matrix, runner => { temp => $temp, os => 'Linux' }, steps => {},
		   github => { %github, workspace => $workspace });
	my %env;
	for my $set (grep { $_ } $workflow->{env}, $spec->{env}) {
		$env{$_} = Expression::expand($set->{$_}, \%own) for keys %$set;
	}
	note('log', "=== job $title\n");
	my %job = (workspace => $workspace, temp => $temp, env => environment($temp, $workspace));
	return steps(\%job, \%own, $spec->{steps}, \%env, $spec->{defaults}{run}{shell} // $workflow->{defaults}{run}{shell});
}

sub needed {
	my ($spec) = @_;
	return ref $spec->{needs} ? @{ $spec->{needs} } : $spec->{needs} // ();
}

# A job, and what became of it.
sub run_all_of {
	my ($workflow, $name, $spec, $result) = @_;
	my @needs = needed($spec);
	my $good = !grep { $result->{$_} ne 'success' } @needs;
	my %context = (github => \%github, needs => { map { $_ => { result => $result->{$_} } } @needs }, env => {}, inputs => {},
		       matrix => {}, runner => {}, steps => {}, '' => { success => $good, failure => !$good, cancelled => 0, always => 1 });
	return 'skipped' if !Expression::condition($spec->{if}, \%context);
	my $failed = 0;
	for my $matrix (combinations($spec->{strategy}{matrix})) {
		$failed++ if !run_job($workflow, $name, $spec, $matrix, \%context);
	}
	return $failed ? 'failure' : 'success';
}

sub run_workflow {
	my $workflow = yaml($ARGV[0]);
	exists $workflow->{on}{$event_name} or die "$ARGV[0]: not run on $event_name\n";
	my (%result, $bad);
	my %left = %{ $workflow->{jobs} };
	while (%left) {
		my ($name) = sort grep { !grep { !$result{$_} } needed($left{$_}) } keys %left;
		defined $name or die "$ARGV[0]: jobs wait for each other\n";
		$result{$name} = run_all_of($workflow, $name, delete $left{$name}, \%result);
		note('jobs', "$name\t$result{$name}\n");
		$bad = 1 if $result{$name} eq 'failure';
	}
	return $bad ? 1 : 0;
}

my $status = eval { run_workflow() };
print STDERR "steps.pl: $@" if !defined $status;
exit($status // 2);
