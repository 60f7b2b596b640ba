# What `tenon check` prints.

== the flagship passes
$ tenon check examples/weight_view.tn --dims inspect
weight_view   M=8 K=16 N=24   cpu:<any>

family             result  exact     interval width/ulp undecided     fixed
exact              y       pass      <any>
search             y       <any>
random             y       <any>
narrow             y       <any>
zeros              y       <any>
structured         y       <any>
cancellation       y       <any>
specials           y       <any>
sentinel-boundary  y       pass <any>
sentinel-join      <any>

pass: <n> families, exact and interval hold, and every result is judged conclusively

== chosen families
$ tenon check examples/weight_view.tn --dims inspect --families exact
weight_view   M=8 K=16 N=24   cpu:<any>

family             result  exact     interval width/ulp undecided     fixed
exact              y       pass      <any>

pass: 1 family, exact and interval hold, and every result is judged conclusively
$ tenon check examples/weight_view.tn --dims inspect --families nothing --json 2>&1 | head -2
tenon: error: no fixture family named `nothing`
hint: families: exact, search, random, narrow, zeros, structured, cancellation, specials, sentinel-boundary, sentinel-join
