#!/usr/bin/perl
# An archive of files, as upload-artifact makes one of a directory:
#
#	t/ci/zip.pl ARCHIVE.zip DIR [NAME=FILE]...
#
# Each FILE is added under any NAME, one that leads out of the archive among them.
use strict;
use warnings;
use IO::Compress::Zip qw($ZipError);

my ($archive, $dir, @more) = @ARGV;
my @members = map { [substr($_, 1 + length $dir), $_] } sort grep { -f } glob "$dir/*";
push @members, map { [split /=/, $_, 2] } @more;
my $zip;
for my $member (@members) {
	my ($name, $file) = @$member;
	if ($zip) {
		$zip->newStream(Name => $name) or die "$ZipError\n";
	} else {
		$zip = IO::Compress::Zip->new($archive, Name => $name) or die "$ZipError\n";
	}
	open my $in, '<:raw', $file or die "$file: $!\n";
	while (read $in, my $part, 1 << 20) {
		$zip->print($part);
	}
}
$zip->close if $zip;
