# Drawn by andweorc-plot VERSION.  By hand: gnuplot THIS > chart.png
set terminal pngcairo noenhanced size 1572,2636 font 'Sans,11' fontscale 1.5 linewidth 2 pointscale 3 background '#FFFFFF'
set encoding utf8
W = 786.
H = 1318.
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

$head1 << EOD
0 0 0 0
50 12.5 2 23
EOD

unset key
set multiplot

# page
unset label
unset arrow
set label 'A title' at screen 78/W, 1-36/H font 'Sans:Bold,17' textcolor rgb '#1F2328' noenhanced
set label 'progress point block · the 1 most useful of 4 regions' at screen 78/W, 1-58/H font 'Sans,12' textcolor rgb '#59636E' noenhanced
set label 'virtual speedup of the region (%)' at screen 418/W, 1-613/H center font 'Sans,12' textcolor rgb '#1F2328' noenhanced
set label 'speedup of the program (%)' at screen 18/W, 1-351/H center rotate by 90 font 'Sans,12' textcolor rgb '#1F2328' noenhanced
set arrow from screen 78/W, 1-643/H to screen 106/W, 1-643/H nohead linestyle 1 linewidth 1
set label '' at screen 92/W, 1-643/H point pointtype 7 pointsize 0.6 linecolor rgb '#0072B2'
set label 'measured, 95 % interval' at screen 114/W, 1-643/H font 'Sans,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 270/W, 1-643/H to screen 298/W, 1-643/H nohead linestyle 1
set label 'fitted slope' at screen 306/W, 1-643/H font 'Sans,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 388/W, 1-643/H to screen 416/W, 1-643/H nohead linestyle 4
set label 'one for one' at screen 424/W, 1-643/H font 'Sans,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 507/W, 1-643/H to screen 535/W, 1-643/H nohead linestyle 5
set label 'no gain beyond' at screen 543/W, 1-643/H font 'Sans,11' textcolor rgb '#59636E' noenhanced
set xrange [0:77.25]
set yrange [-2.73135:39.2219]
set xtics 25
set ytics 10
set border 3 linecolor rgb '#8A9099' linewidth 0.8
set tics nomirror out scale 0.4 font 'Sans,10' textcolor rgb '#59636E'
set grid linetype 1 linecolor rgb '#E6E8EB' linewidth 0.7

# panel 0
set lmargin at screen 78/W
set rmargin at screen 758/W
set tmargin at screen 1-151/H
set bmargin at screen 1-551/H
set format y '%g'
set label 'high value, no gain past 50 %' at screen 78/W, 1-137/H font 'Sans,11' textcolor rgb '#1F2328' noenhanced
set label 'slope 0.71 [0.66, 0.76] · 62 % of samples' at screen 78/W, 1-118/H font 'Sans,11' textcolor rgb '#59636E' noenhanced
set label 'pzip.c:210 in deflate_chunk' at screen 78/W, 1-96/H font 'Sans:Bold,13' textcolor rgb '#1F2328' noenhanced
set arrow from 50, graph 0 to 50, graph 1 nohead linestyle 5 front
plot sample [0:77.25] 0 with lines linestyle 3, \
  [0:77.25] x with lines linestyle 4, \
  $head0 using 1:3:4 with filledcurves fillcolor rgb '#0072B2' fillstyle transparent solid 0.2 noborder, \
  [0:50] 0.71*x with lines linestyle 1, \
  $head0 every ::1 using ($3 <= $4 ? $1+0 : NaN):2:3:4 with yerrorbars linestyle 1 linewidth 1 dashtype 1, \
  $head0 every ::1 using ($1+0):2 with points linestyle 1

# page
unset label
unset arrow
set label 'A title' at screen 78/W, 1-695/H font 'Sans:Bold,17' textcolor rgb '#1F2328' noenhanced
set label 'progress point file · 1 region · intervals within runs' at screen 78/W, 1-717/H font 'Sans,12' textcolor rgb '#59636E' noenhanced
set label 'virtual speedup of the region (%)' at screen 418/W, 1-1272/H center font 'Sans,12' textcolor rgb '#1F2328' noenhanced
set label 'speedup of the program (%)' at screen 18/W, 1-1010/H center rotate by 90 font 'Sans,12' textcolor rgb '#1F2328' noenhanced
set arrow from screen 78/W, 1-1302/H to screen 106/W, 1-1302/H nohead linestyle 1 linewidth 1
set label '' at screen 92/W, 1-1302/H point pointtype 7 pointsize 0.6 linecolor rgb '#0072B2'
set label 'measured, 95 % interval' at screen 114/W, 1-1302/H font 'Sans,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 270/W, 1-1302/H to screen 298/W, 1-1302/H nohead linestyle 1
set label 'fitted slope' at screen 306/W, 1-1302/H font 'Sans,11' textcolor rgb '#59636E' noenhanced
set arrow from screen 388/W, 1-1302/H to screen 416/W, 1-1302/H nohead linestyle 4
set label 'one for one' at screen 424/W, 1-1302/H font 'Sans,11' textcolor rgb '#59636E' noenhanced
set xrange [0:51.5]
set yrange [-1.69744:21.9055]
set xtics 10
set ytics 5
set border 3 linecolor rgb '#8A9099' linewidth 0.8
set tics nomirror out scale 0.4 font 'Sans,10' textcolor rgb '#59636E'
set grid linetype 1 linecolor rgb '#E6E8EB' linewidth 0.7

# panel 1
set lmargin at screen 78/W
set rmargin at screen 758/W
set tmargin at screen 1-810/H
set bmargin at screen 1-1210/H
set format y '%g'
set label 'moderate value' at screen 78/W, 1-796/H font 'Sans,11' textcolor rgb '#1F2328' noenhanced
set label 'slope 0.25 [0.05, 0.45] · 62 % of samples' at screen 78/W, 1-777/H font 'Sans,11' textcolor rgb '#59636E' noenhanced
set label 'pzip.c:210 in deflate_chunk' at screen 78/W, 1-755/H font 'Sans:Bold,13' textcolor rgb '#1F2328' noenhanced
plot sample [0:51.5] 0 with lines linestyle 3, \
  [0:51.5] x with lines linestyle 4, \
  $head1 using 1:3:4 with filledcurves fillcolor rgb '#0072B2' fillstyle transparent solid 0.2 noborder, \
  [0:50] 0.25*x with lines linestyle 1, \
  $head1 every ::1 using ($3 <= $4 ? $1+0 : NaN):2:3:4 with yerrorbars linestyle 1 linewidth 1 dashtype 1, \
  $head1 every ::1 using ($1+0):2 with points linestyle 1
unset multiplot
