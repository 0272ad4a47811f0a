# Drawn by andweorc-plot VERSION.  By hand: gnuplot THIS > chart.svg
set terminal svg noenhanced size 1098,1725 fixed font 'sans-serif,11' background '#FFFFFF'
set encoding utf8
W = 1098.
H = 1725.
set samples 2
set style line 1 linecolor rgb '#0072B2' linewidth 1.8 pointtype 7 pointsize 0.6  # measured
set style line 2 linecolor rgb '#D55E00' linewidth 1.6 pointtype 4 pointsize 0.7 dashtype 2  # base
set style line 3 linecolor rgb '#8A9099' linewidth 0.8  # zero
set style line 4 linecolor rgb '#8A9099' linewidth 0.8 dashtype 4  # one for one
set style line 5 linecolor rgb '#59636E' linewidth 1 dashtype 3  # no gain beyond

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

$head4 << EOD
0 0 0 0
50 12.5 2 23
EOD

unset key
set multiplot

# page
unset label
unset arrow
set label 'What changed in pzip at progress point block' at screen 78/W, 1-36/H font 'sans-serif" font-weight="bold,17' textcolor rgb '#1F2328' noenhanced
set label 'too few runs · 4 regions, the most changed first' at screen 78/W, 1-58/H font 'sans-serif,12' textcolor rgb '#59636E' noenhanced
set label 'virtual speedup of the region (%)' at screen 574/W, 1-982/H center font 'sans-serif,12' textcolor rgb '#1F2328' noenhanced
set label 'speedup of the program (%)' at screen 18/W, 1-554/H center rotate by 90 font 'sans-serif,12' textcolor rgb '#1F2328' noenhanced
set arrow from screen 78/W, 1-1012/H to screen 106/W, 1-1012/H nohead linestyle 1 linewidth 1
set label '' at screen 92/W, 1-1012/H point pointtype 7 pointsize 0.6 linecolor rgb '#0072B2'
set label 'head, 95 % interval' at screen 114/W, 1-1012/H font 'sans-serif,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 242/W, 1-1012/H to screen 270/W, 1-1012/H nohead linestyle 2 linewidth 1 dashtype 1
set label '' at screen 256/W, 1-1012/H point pointtype 4 pointsize 0.7 linecolor rgb '#D55E00'
set label 'base' at screen 278/W, 1-1012/H font 'sans-serif,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 324/W, 1-1012/H to screen 352/W, 1-1012/H nohead linestyle 1
set label 'fitted slope' at screen 360/W, 1-1012/H font 'sans-serif,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 442/W, 1-1012/H to screen 470/W, 1-1012/H nohead linestyle 4
set label 'one for one' at screen 478/W, 1-1012/H font 'sans-serif,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 561/W, 1-1012/H to screen 589/W, 1-1012/H nohead linestyle 5
set label 'no gain beyond' at screen 597/W, 1-1012/H font 'sans-serif,11' textcolor rgb '#59636E' noenhanced
set xrange [0:77.25]
set yrange [-29.04:43.1012]
set xtics 25
set ytics 20
set border 3 linecolor rgb '#8A9099' linewidth 0.8
set tics nomirror out scale 0.4 font 'sans-serif,10' textcolor rgb '#59636E'
set grid linetype 1 linecolor rgb '#E6E8EB' linewidth 0.7

# panel 0
set lmargin at screen 78/W
set rmargin at screen 558/W
set tmargin at screen 1-189/H
set bmargin at screen 1-479/H
set format y '%g'
set label 'too few runs: slope +0.19' at screen 78/W, 1-175/H font 'sans-serif" font-weight="bold,11' textcolor rgb '#1F2328' noenhanced
set label 'base: slope 0.52 [0.47, 0.57]' at screen 78/W, 1-156/H font 'sans-serif,11' textcolor rgb '#B54E00' noenhanced
set label 'high value, no gain past 50 %' at screen 78/W, 1-137/H font 'sans-serif,11' textcolor rgb '#1F2328' noenhanced
set label 'head: slope 0.71 [0.66, 0.76] · 62 % of samples' at screen 78/W, 1-118/H font 'sans-serif,11' textcolor rgb '#0072B2' noenhanced
set label 'pzip.c:210 in deflate_chunk' at screen 78/W, 1-96/H font 'sans-serif" font-weight="bold,13' textcolor rgb '#1F2328' noenhanced
set arrow from 50, graph 0 to 50, graph 1 nohead linestyle 5 front
plot sample [0:77.25] 0 with lines linestyle 3, \
  [0:77.25] x with lines linestyle 4, \
  $base0 using 1:3:4 with filledcurves fillcolor rgb '#D55E00' fillstyle transparent solid 0.14 noborder, \
  [0:75] 0.52*x with lines linestyle 2, \
  $base0 every ::1 using ($3 <= $4 ? $1+-0.38625 : NaN):2:3:4 with yerrorbars linestyle 2 linewidth 1 dashtype 1, \
  $base0 every ::1 using ($1+-0.38625):2 with points linestyle 2, \
  $head0 using 1:3:4 with filledcurves fillcolor rgb '#0072B2' fillstyle transparent solid 0.2 noborder, \
  [0:50] 0.71*x with lines linestyle 1, \
  $head0 every ::1 using ($3 <= $4 ? $1+0.38625 : NaN):2:3:4 with yerrorbars linestyle 1 linewidth 1 dashtype 1, \
  $head0 every ::1 using ($1+0.38625):2 with points linestyle 1

# panel 1
unset label
unset arrow
set lmargin at screen 590/W
set rmargin at screen 1070/W
set tmargin at screen 1-189/H
set bmargin at screen 1-479/H
set format y ''
set label 'change: slope -0.10' at screen 590/W, 1-175/H font 'sans-serif" font-weight="bold,11' textcolor rgb '#1F2328' noenhanced
set label 'base: slope 0.10 [0.05, 0.15]' at screen 590/W, 1-156/H font 'sans-serif,11' textcolor rgb '#B54E00' noenhanced
set label 'not a bottleneck' at screen 590/W, 1-137/H font 'sans-serif,11' textcolor rgb '#1F2328' noenhanced
set label 'head: slope 0.00 [-0.02, 0.03] · 4.2 % of samples' at screen 590/W, 1-118/H font 'sans-serif,11' textcolor rgb '#0072B2' noenhanced
set label 'queue.c:31 in queue_put' at screen 590/W, 1-96/H font 'sans-serif" font-weight="bold,13' textcolor rgb '#1F2328' noenhanced
plot sample [0:77.25] 0 with lines linestyle 3, \
  [0:77.25] x with lines linestyle 4, \
  $base1 using 1:3:4 with filledcurves fillcolor rgb '#D55E00' fillstyle transparent solid 0.14 noborder, \
  [0:50] 0.1*x with lines linestyle 2, \
  $base1 every ::1 using ($3 <= $4 ? $1+-0.38625 : NaN):2:3:4 with yerrorbars linestyle 2 linewidth 1 dashtype 1, \
  $base1 every ::1 using ($1+-0.38625):2 with points linestyle 2, \
  $head1 using 1:3:4 with filledcurves fillcolor rgb '#0072B2' fillstyle transparent solid 0.2 noborder, \
  [0:75] 0.004*x with lines linestyle 1, \
  $head1 every ::1 using ($3 <= $4 ? $1+0.38625 : NaN):2:3:4 with yerrorbars linestyle 1 linewidth 1 dashtype 1, \
  $head1 every ::1 using ($1+0.38625):2 with points linestyle 1

# panel 2
unset label
unset arrow
set lmargin at screen 78/W
set rmargin at screen 558/W
set tmargin at screen 1-630/H
set bmargin at screen 1-920/H
set format y '%g'
set label 'on one side only' at screen 78/W, 1-616/H font 'sans-serif" font-weight="bold,11' textcolor rgb '#1F2328' noenhanced
set label 'base: no data' at screen 78/W, 1-597/H font 'sans-serif,11' textcolor rgb '#B54E00' noenhanced
set label 'harmful: slows the program down' at screen 78/W, 1-578/H font 'sans-serif,11' textcolor rgb '#1F2328' noenhanced
set label 'head: slope -0.31 [-0.40, -0.22] · 2.0 % of samples' at screen 78/W, 1-559/H font 'sans-serif,11' textcolor rgb '#0072B2' noenhanced
set label 'writer.c:88 in write_ordered' at screen 78/W, 1-537/H font 'sans-serif" font-weight="bold,13' textcolor rgb '#1F2328' noenhanced
plot sample [0:77.25] 0 with lines linestyle 3, \
  [0:77.25] x with lines linestyle 4, \
  $head2 using 1:3:4 with filledcurves fillcolor rgb '#0072B2' fillstyle transparent solid 0.2 noborder, \
  [0:75] -0.31*x with lines linestyle 1, \
  $head2 every ::1 using ($3 <= $4 ? $1+0 : NaN):2:3:4 with yerrorbars linestyle 1 linewidth 1 dashtype 1, \
  $head2 every ::1 using ($1+0):2 with points linestyle 1

# panel 3
unset label
unset arrow
set lmargin at screen 590/W
set rmargin at screen 1070/W
set tmargin at screen 1-630/H
set bmargin at screen 1-920/H
set format y ''
set label 'on one side only' at screen 590/W, 1-616/H font 'sans-serif" font-weight="bold,11' textcolor rgb '#1F2328' noenhanced
set label 'base: no data' at screen 590/W, 1-597/H font 'sans-serif,11' textcolor rgb '#B54E00' noenhanced
set label 'not enough data: needs about 5 times as many windows (record with -d 120)' at screen 590/W, 1-578/H font 'sans-serif,11' textcolor rgb '#1F2328' noenhanced
set label 'head: slope unknown · 0.4 % of samples' at screen 590/W, 1-559/H font 'sans-serif,11' textcolor rgb '#0072B2' noenhanced
set label 'crc.c:12 in crc32' at screen 590/W, 1-537/H font 'sans-serif" font-weight="bold,13' textcolor rgb '#1F2328' noenhanced
plot sample [0:77.25] 0 with lines linestyle 3, \
  [0:77.25] x with lines linestyle 4, \
  $head3 using 1:3:4 with filledcurves fillcolor rgb '#0072B2' fillstyle transparent solid 0.2 noborder, \
  $head3 every ::1 using ($3 <= $4 ? $1+0 : NaN):2:3:4 with yerrorbars linestyle 1 linewidth 1 dashtype 1, \
  $head3 every ::1 using ($1+0):2 with points linestyle 1

# page
unset label
unset arrow
set label 'What changed in pzip at progress point file' at screen 78/W, 1-1064/H font 'sans-serif" font-weight="bold,17' textcolor rgb '#1F2328' noenhanced
set label '1 region · intervals within runs' at screen 78/W, 1-1086/H font 'sans-serif,12' textcolor rgb '#59636E' noenhanced
set label 'virtual speedup of the region (%)' at screen 418/W, 1-1679/H center font 'sans-serif,12' textcolor rgb '#1F2328' noenhanced
set label 'speedup of the program (%)' at screen 18/W, 1-1417/H center rotate by 90 font 'sans-serif,12' textcolor rgb '#1F2328' noenhanced
set arrow from screen 78/W, 1-1709/H to screen 106/W, 1-1709/H nohead linestyle 1 linewidth 1
set label '' at screen 92/W, 1-1709/H point pointtype 7 pointsize 0.6 linecolor rgb '#0072B2'
set label 'head, 95 % interval' at screen 114/W, 1-1709/H font 'sans-serif,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 242/W, 1-1709/H to screen 270/W, 1-1709/H nohead linestyle 2 linewidth 1 dashtype 1
set label '' at screen 256/W, 1-1709/H point pointtype 4 pointsize 0.7 linecolor rgb '#D55E00'
set label 'base' at screen 278/W, 1-1709/H font 'sans-serif,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 324/W, 1-1709/H to screen 352/W, 1-1709/H nohead linestyle 1
set label 'fitted slope' at screen 360/W, 1-1709/H font 'sans-serif,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 442/W, 1-1709/H to screen 470/W, 1-1709/H nohead linestyle 4
set label 'one for one' at screen 478/W, 1-1709/H font 'sans-serif,11' textcolor rgb '#59636E' noenhanced
set xrange [0:51.5]
set yrange [-1.69744:21.9055]
set xtics 10
set ytics 5
set border 3 linecolor rgb '#8A9099' linewidth 0.8
set tics nomirror out scale 0.4 font 'sans-serif,10' textcolor rgb '#59636E'
set grid linetype 1 linecolor rgb '#E6E8EB' linewidth 0.7

# panel 4
set lmargin at screen 78/W
set rmargin at screen 758/W
set tmargin at screen 1-1217/H
set bmargin at screen 1-1617/H
set format y '%g'
set label 'base: no data' at screen 78/W, 1-1203/H font 'sans-serif,11' textcolor rgb '#B54E00' noenhanced
set label 'moderate value' at screen 78/W, 1-1184/H font 'sans-serif,11' textcolor rgb '#1F2328' noenhanced
set label 'head: slope 0.25 [0.05, 0.45] · 62 % of samples' at screen 78/W, 1-1165/H font 'sans-serif,11' textcolor rgb '#0072B2' noenhanced
set label 'pzip.c:210 in deflate_chunk' at screen 78/W, 1-1143/H font 'sans-serif" font-weight="bold,13' textcolor rgb '#1F2328' noenhanced
plot sample [0:51.5] 0 with lines linestyle 3, \
  [0:51.5] x with lines linestyle 4, \
  $head4 using 1:3:4 with filledcurves fillcolor rgb '#0072B2' fillstyle transparent solid 0.2 noborder, \
  [0:50] 0.25*x with lines linestyle 1, \
  $head4 every ::1 using ($3 <= $4 ? $1+0 : NaN):2:3:4 with yerrorbars linestyle 1 linewidth 1 dashtype 1, \
  $head4 every ::1 using ($1+0):2 with points linestyle 1
unset multiplot
