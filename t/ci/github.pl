#!/usr/bin/perl
# The part of GitHub's API that comments and artifacts take, on a port of this machine:
#
#	t/ci/github.pl STATE.json LOG PORTFILE
#
# STATE.json has "pulls", "comments" (each with an "issue"), "artifacts" (each with a
# "file", the archive, and the "run"), and "refuse", which maps a method to a status.
# It is read before and written after each request.
# LOG gets a line for each: METHOD PATH, and who asks.
use strict;
use warnings;
use IO::Socket::INET;
use JSON::PP;

my ($state_file, $log_file, $port_file) = @ARGV;
my $json = JSON::PP->new->utf8->canonical;

sub slurp {
	open my $in, '<:raw', $_[0] or die "$_[0]: $!\n";
	local $/;
	return scalar <$in>;
}

sub spill {
	open my $out, '>:raw', "$_[0].new" or die "$_[0]: $!\n";
	print $out $_[1];
	close $out or die "$_[0]: $!\n";
	rename "$_[0].new", $_[0] or die "$_[0]: $!\n";
}

sub unescape {
	my ($s) = @_;
	$s =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge;
	return $s;
}

# The answer of GitHub: status and data.
sub answer {
	my ($state, $method, $path, $query, $body) = @_;
	if (my $status = $state->{refuse}{$method}) {
		return ($status, { message => "Resource not accessible by integration\n::error::x" });
	}
	my ($repository, $rest) = $path =~ m{^/repos/([^/]+/[^/]+)/(.+)$} or return (404, { message => 'Not Found' });
	if ($method eq 'GET' && $rest eq 'pulls') {
		return (200, [grep { $query->{head} eq $_->{label} && $query->{state} eq $_->{state} } @{ $state->{pulls} }]);
	}
	if ($rest =~ m{^issues/(\d+)/comments$}) {
		my $issue = $1;
		my @all = grep { $_->{issue} == $issue } @{ $state->{comments} };
		if ($method eq 'GET') {
			my ($size, $page) = ($query->{per_page} || 30, $query->{page} || 1);
			@all = splice @all, ($page - 1) * $size, $size;
			return (200, \@all);
		}
		return (422, { message => 'Body is too long' }) if length $body->{body} > 65536;
		my $new = { id => 1000 + @{ $state->{comments} }, issue => 0 + $issue,
			    user => { login => 'github-actions[bot]' }, body => $body->{body} };
		push @{ $state->{comments} }, $new;
		return (201, $new);
	}
	if ($rest =~ m{^actions/(?:runs/(\d+)/)?artifacts$}) {
		my $run = $1;
		my @all = grep { $_->{name} eq $query->{name} && (!$run || $_->{run} == $run) } @{ $state->{artifacts} };
		my $count = @all;
		my ($size, $page) = ($query->{per_page} || 30, $query->{page} || 1);
		@all = splice @all, ($page - 1) * $size, $size;
		return (200, { total_count => $count, artifacts => \@all });
	}
	if ($rest =~ m{^actions/artifacts/(\d+)/zip$}) {
		my $id = $1;
		my ($one) = grep { $_->{id} == $id } @{ $state->{artifacts} };
		return (200, \slurp($one->{file})) if $one;
	}
	if ($method eq 'PATCH' && $rest =~ m{^issues/comments/(\d+)$}) {
		for my $comment (@{ $state->{comments} }) {
			next if $comment->{id} != $1;
			$comment->{body} = $body->{body};
			return (200, $comment);
		}
	}
	return (404, { message => 'Not Found' });
}

my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5, ReuseAddr => 1) or die "no port: $!\n";
spill($port_file, $server->sockport);
while (my $client = $server->accept) {
	my ($method, $target) = (<$client> // '') =~ /^([A-Z]+) (\S+) HTTP/ or next;
	my %header;
	while (defined(my $line = <$client>)) {
		last if $line =~ /^\r?\n$/;
		$header{ lc $1 } = $2 if $line =~ /^([^:]+):\s*(.*?)\r?\n$/;
	}
	my $text = '';
	read $client, $text, $header{'content-length'} if $header{'content-length'};
	my ($path, $words) = split /\?/, $target, 2;
	my %query = map { my ($k, $v) = split /=/, $_, 2; (unescape($k) => unescape($v // '')) } split /&/, $words // '';
	my $state = $json->decode(slurp($state_file));
	my ($status, $data) = answer($state, $method, unescape($path), \%query, $text ? $json->decode($text) : undef);
	($status, $data) = (401, { message => 'Bad credentials' }) if ($header{authorization} // '') ne "Bearer $state->{token}";
	spill($state_file, $json->encode($state));
	open my $log, '>>', $log_file or die "$log_file: $!\n";
	print $log "$method $target\n";
	close $log;
	my $reply = ref $data eq 'SCALAR' ? $$data : $json->encode($data);
	print $client "HTTP/1.1 $status X\r\nContent-Type: application/json\r\nContent-Length: ", length $reply,
		"\r\nConnection: close\r\n\r\n$reply";
	close $client;
}
