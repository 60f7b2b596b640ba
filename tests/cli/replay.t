# A saved plan runs exactly as it is, or not at all.

== a plan is replayed to the same bits
$ tenon run examples/softmax.tn --dims inspect --seed 5 --no-check --repeat 0 --save-plan p.json -o a | grep plan | head -1
plan     <hex>   1 kernel, 6 launches, 128 B of intermediates
$ tenon replay p.json --dims inspect --seed 5 --repeat 0 -o b
softmax_rows   M=8 K=16   cpu:<any>

input    x  f16 [8, 16]   seed 5
result   y  f16 [8, 16]   b/y.npy
plan     <hex>   1 kernel, 6 launches, 128 B of intermediates
         k0.main k0.pass0 k0.fold0 k0.pass1 k0.fold1 k0.pass2
compile  <time>   <any>
run      <time>, the first call
check    y  pass
<lines>
$ cmp a/y.npy b/y.npy

== its identity is that of the run
$ tenon run examples/softmax.tn --no-check --repeat 0 --dims inspect --save-plan p.json | grep plan | cut -c1-21 | head -1 > a
$ tenon replay p.json --dims inspect --no-check --repeat 0 | grep plan | cut -c1-21 | head -1 > b
$ cmp a b && grep -c 'plan     ' a
1

== a plan that was edited is refused
! tenon run examples/softmax.tn --no-check --repeat 0 --dims inspect --save-plan p.json > log
$ sed 's/1024/1025/' p.json > q.json; tenon replay q.json
2> tenon: error: q.json: <any>
2> hint: a plan runs exactly as it was written, or not at all; make it anew with `tenon run --save-plan`
=> 1
$ head -c 1000 p.json > q.json; tenon replay q.json
2> <any>error: <any>
2> <lines>
=> 1
$ tenon replay examples/softmax.tn
2> <any>error: <any>
2> <lines>
=> 1
$ tenon replay nothing.json
2> tenon: error: cannot open nothing.json: No such file or directory
=> 3

== another compiler than the plan's is not taken
? clang-14 --version
$ tenon run examples/softmax.tn --cc clang-14 --no-check --repeat 0 --dims inspect --save-plan p.json > log
$ tenon replay p.json --dims inspect
2> tenon: error: p.json: <any>
2> hint: <any>
=> 1
