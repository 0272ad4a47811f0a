# Drawn by andweorc-plot VERSION.  By hand: gnuplot THIS > chart.txt
set terminal dumb noenhanced size 100,48
set encoding utf8
W = 99.
H = 47.

# virtual speedup %, program speedup %, low and high end of its interval
$head0 << EOD
0 0 0 0
15 10.4 9.1 11.7
30 21.6 20.2 23
50 35.3 33.6 37
75 36.1 34.2 38
EOD

$base0 << EOD
0 0 0 0
15 7.4 6.1 8.7
30 15.6 14.2 17
50 26.3 24.6 28
75 39.1 37.2 41
EOD

$head1 << EOD
0 0 0 0
15 0.2 -1 1.4
30 -0.4 -1.9 1.1
50 0.1 -1.6 1.8
75 0.5 -1.4 2.4
EOD

$base1 << EOD
0 0 0 0
50 5 3 7
EOD

$head2 << EOD
0 0 0 0
15 -4.1 -6 -2.2
30 -9 -11.5 -6.5
50 -15.2 -18 -12.4
75 -23.4 -27 -19.8
EOD

$head3 << EOD
0 0 0 0
30 1.5 NaN NaN
50 4.5 -20 29
EOD

unset key
set multiplot

# page
unset label
unset arrow
set label 'What changed in pzip at progress point block' at screen 0/W, 1-0/H noenhanced
set label 'too few runs · 4 regions, the most changed first' at screen 0/W, 1-1/H noenhanced
set label 'x: virtual speedup of the region (%), y: speedup of the program (%)' at screen 6/W, 1-46/H noenhanced
set label 'o measured  | 95 % interval  b base  * fitted slope  . one for one  ^ no gain beyond' at screen 6/W, 1-47/H noenhanced
set xrange [0:77.25]
set yrange [-29.04:43.1012]
set xtics 25
set ytics 20
set border 3
set tics nomirror out scale 0.5

# panel 0
set lmargin at screen 6/W
set rmargin at screen 50/W
set tmargin at screen 1-9/H
set bmargin at screen 1-22/H
set format y '%g'
set label 'too few runs: slope +0.19' at screen 6/W, 1-8/H noenhanced
set label 'base: slope 0.52 [0.47, 0.57]' at screen 6/W, 1-7/H noenhanced
set label 'high value, no gain past 50 %' at screen 6/W, 1-6/H noenhanced
set label 'head: slope 0.71 [0.66, 0.76] · share 62 %' at screen 6/W, 1-5/H noenhanced
set label 'pzip.c:210 in deflate_chunk' at screen 6/W, 1-4/H noenhanced
set label '^' at 50, graph 0 center noenhanced front
plot sample [0:77.25] 0 with lines linetype 0, \
  [0:77.25] x with points pointtype '.', \
  $base0 every ::1 using 1:2 with points pointtype 'b', \
  [0:50] 0.71*x with points pointtype '*', \
  $head0 every ::1 using ($3 <= $4 ? $1 : NaN):3:(0):($4-$3) with vectors nohead linetype -1, \
  $head0 every ::1 using 1:2 with points pointtype 'o'

# panel 1
unset label
unset arrow
set lmargin at screen 54/W
set rmargin at screen 98/W
set tmargin at screen 1-9/H
set bmargin at screen 1-22/H
set format y ''
set label 'change: slope -0.10' at screen 54/W, 1-8/H noenhanced
set label 'base: slope 0.10 [0.05, 0.15]' at screen 54/W, 1-7/H noenhanced
set label 'not a bottleneck' at screen 54/W, 1-6/H noenhanced
set label 'head: slope 0.00 [-0.02, 0.03] · share 4.2 %' at screen 54/W, 1-5/H noenhanced
set label 'queue.c:31 in queue_put' at screen 54/W, 1-4/H noenhanced
plot sample [0:77.25] 0 with lines linetype 0, \
  [0:77.25] x with points pointtype '.', \
  $base1 every ::1 using 1:2 with points pointtype 'b', \
  [0:75] 0.004*x with points pointtype '*', \
  $head1 every ::1 using ($3 <= $4 ? $1 : NaN):3:(0):($4-$3) with vectors nohead linetype -1, \
  $head1 every ::1 using 1:2 with points pointtype 'o'

# panel 2
unset label
unset arrow
set lmargin at screen 6/W
set rmargin at screen 50/W
set tmargin at screen 1-30/H
set bmargin at screen 1-43/H
set format y '%g'
set label 'on one side only' at screen 6/W, 1-29/H noenhanced
set label 'base: no data' at screen 6/W, 1-28/H noenhanced
set label 'harmful: slows the program down' at screen 6/W, 1-27/H noenhanced
set label 'head: slope -0.31 [-0.40, -0.22]' at screen 6/W, 1-26/H noenhanced
set label 'writer.c:88 in write_ordered' at screen 6/W, 1-25/H noenhanced
plot sample [0:77.25] 0 with lines linetype 0, \
  [0:77.25] x with points pointtype '.', \
  [0:75] -0.31*x with points pointtype '*', \
  $head2 every ::1 using ($3 <= $4 ? $1 : NaN):3:(0):($4-$3) with vectors nohead linetype -1, \
  $head2 every ::1 using 1:2 with points pointtype 'o'

# panel 3
unset label
unset arrow
set lmargin at screen 54/W
set rmargin at screen 98/W
set tmargin at screen 1-30/H
set bmargin at screen 1-43/H
set format y ''
set label 'on one side only' at screen 54/W, 1-29/H noenhanced
set label 'base: no data' at screen 54/W, 1-28/H noenhanced
set label 'not enough data: record with -d 120' at screen 54/W, 1-27/H noenhanced
set label 'head: slope unknown · 0.4 % of samples' at screen 54/W, 1-26/H noenhanced
set label 'crc.c:12 in crc32' at screen 54/W, 1-25/H noenhanced
plot sample [0:77.25] 0 with lines linetype 0, \
  [0:77.25] x with points pointtype '.', \
  $head3 every ::1 using ($3 <= $4 ? $1 : NaN):3:(0):($4-$3) with vectors nohead linetype -1, \
  $head3 every ::1 using 1:2 with points pointtype 'o'
unset multiplot
