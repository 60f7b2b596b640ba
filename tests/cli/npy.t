# Tensors from and to .npy files.

== sizes come from the file
! $PYTHON -c "import numpy as np; np.save('x.npy', np.ones((5, 16), np.float16))"
$ tenon run examples/bias.tn --in x=x.npy --dim N=24 --repeat 0
bias   M=5 K=16 N=24   cpu:<any>

input    x  f16 [5, 16]    x.npy
         w  f16 [16, 24]   seed 1
         b  f16 [24]       seed 1
result   y  f16 [5, 24]
plan     <any>
         <any>
compile  <any>
run      <time>, the first call
check    y  pass
<lines>

== NumPy computes the same
@ file double.tn
def double(x: f64[M, N], y: f64[M, N]):
    return x * y, x + y
@ end
! $PYTHON -c "import numpy as np; r = np.random.default_rng(1); np.save('x.npy', r.normal(size=(7, 13))); np.save('y.npy', r.normal(size=(7, 13)))"
$ tenon run double.tn --in x=x.npy --in y=y.npy --repeat 0 -o . > log
$ $PYTHON -c "import numpy as np; l = np.load; x, y = l('x.npy'), l('y.npy'); print(np.array_equal(l('y0.npy'), x * y), np.array_equal(l('y1.npy'), x + y))"
True True

== Fortran order and big-endian files are read right
@ file same.tn
def same(x: f32[M, N]):
    return x
@ end
! $PYTHON -c "import numpy as np; x = np.arange(15, dtype=np.float32).reshape(3, 5); np.save('c.npy', x); np.save('f.npy', np.asfortranarray(x)); np.save('b.npy', x.astype('>f4')); np.save('fb.npy', np.asfortranarray(x.astype('>f4')))"
$ tenon run same.tn --in x=c.npy --repeat 0 -o c > log
$ cmp c.npy c/x.npy
$ for f in f b fb; do tenon run same.tn --in x=$f.npy --repeat 0 -o $f > log && cmp c/x.npy $f/x.npy; done

== damaged and wrong files are refused
! $PYTHON -c "import numpy as np; x = np.ones((5, 16), np.float16); np.save('x.npy', x); np.save('x32.npy', x.astype(np.float32)); np.save('x3.npy', x[None]); np.save('x7.npy', np.ones((5, 7), np.float16)); open('cut.npy', 'wb').write(open('x.npy', 'rb').read()[:-3]); open('junk.npy', 'wb').write(b'junk'); open('empty.npy', 'wb')"
$ tenon run examples/bias.tn --dims inspect --in x=x32.npy
2> tenon: error: x32.npy holds f32, and f16 is wanted
2> hint: convert the file, or declare its dtype
=> 1
$ tenon run examples/bias.tn --dims inspect --in x=cut.npy
2> tenon: error: cut.npy: it is truncated: f16[5, 16] has 160 bytes of data, and 157 are there
=> 1
$ tenon run examples/bias.tn --dims inspect --in x=junk.npy
2> tenon: error: junk.npy: <any>
=> 1
$ tenon run examples/bias.tn --dims inspect --in x=empty.npy
2> tenon: error: empty.npy: <any>
=> 1
$ tenon run examples/bias.tn --dims inspect --in x=none.npy
2> tenon: error: cannot open none.npy: No such file or directory
=> 3
$ tenon run examples/bias.tn --dims inspect --in x=x3.npy
2> tenon: error: x3.npy: rank 3, but x is f16[M, K]
=> 1

== a dim that two files give two sizes
! $PYTHON -c "import numpy as np; np.save('x.npy', np.ones((5, 16), np.float16)); np.save('w.npy', np.ones((17, 24), np.float16))"
$ tenon run examples/bias.tn --in x=x.npy --in w=w.npy
2> examples/bias.tn:<n>:<n>: error: input <any>: axis <n> has extent <n>, but K is <n> here
2> <lines>
=> 1
@ file square.tn
def square(x: f16[N, N]):
    return x + x
@ end
$ tenon run square.tn --in x=x.npy
2> tenon: error: x.npy: axis 1 has 16 elements, but x is f16[N, N]
=> 1

== a size that was fixed stays
! $PYTHON -c "import numpy as np; np.save('x.npy', np.ones((5, 16), np.float16))"
$ tenon run examples/bias.tn --in x=x.npy --dims inspect --no-check
2> tenon: error: x.npy holds f16 [5, 16], but x is f16 [8, 16] under the sizes given
2> hint: leave --dims and --dim out to take the sizes of the file
=> 2

== inputs that are not there
$ tenon run examples/bias.tn --in q=x.npy
2> tenon: error: the program has no input q
2> hint: they are x, w, b
=> 2
! $PYTHON -c "import numpy as np; np.save('x.npy', np.ones((5, 16), np.float16))"
$ tenon run examples/bias.tn --in x=x.npy --in x=x.npy
2> tenon: error: --in: x is given twice
=> 2

== a result that cannot be written
$ tenon run examples/bias.tn --dims inspect --no-check --repeat 0 -o /proc/out
2> tenon: error: cannot make /proc/out: No such file or directory
=> 3
$ tenon run examples/bias.tn --dims inspect --no-check --repeat 0 -o y=/no/where/y.npy
2> tenon: error: <any>/no/where/y.npy<any>
<lines>
=> 3
