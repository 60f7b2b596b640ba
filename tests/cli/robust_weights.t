# Consts from files that are not what they were.

== when a plan is replayed
@ file f.tn
const w: f32[4] = file("w.npy")
def f(x: f32[4]):
    return x + w
@ end
! $PYTHON -c "import numpy as np; np.save('w.npy', np.arange(4, dtype=np.float32))"
$ tenon run f.tn --save-plan p.json --no-check --repeat 0 > log
$ tenon replay p.json --repeat 0 | grep check
check    y  pass
! $PYTHON -c "import numpy as np; np.save('w.npy', np.arange(5, dtype=np.float32))"
$ tenon replay p.json
2> <any>error: const `w` is f32[4] with these sizes, and w.npy holds f32[5]
2> <lines>
=> 1
! $PYTHON -c "import numpy as np; np.save('w.npy', np.arange(4, dtype=np.float64))"
$ tenon replay p.json
2> tenon: error: w.npy holds f64, and f32 is wanted
2> hint: convert the file, or declare its dtype
=> 1
$ head -c 140 w.npy > cut; mv cut w.npy; tenon replay p.json
2> tenon: error: w.npy: it is truncated: f64[4] has 32 bytes of data, and 12 are there
=> 1
$ rm w.npy; tenon replay p.json
2> tenon: error: cannot open w.npy: No such file or directory
=> 3

== of another size than the dims say
@ file f.tn
const w: f32[K] = file("w.npy")
def f(x: f32[K]):
    return x + w
@ end
! $PYTHON -c "import numpy as np; np.save('w.npy', np.arange(4, dtype=np.float32))"
$ tenon run f.tn --dim K=4 --repeat 0 | grep check
check    y  pass
$ tenon run f.tn --dim K=5 --repeat 0
2> f.tn:1:7: error: const `w` is f32[5] with these sizes, and w.npy holds f32[4]
2>     const w: f32[K] = file("w.npy")
2>           ^
2> hint: set the dims to what the file has
=> 1
$ tenon check f.tn --dim K=5 2>&1 > log | head -1
f.tn:1:7: error: const `w` is f32[5] with these sizes, and w.npy holds f32[4]
