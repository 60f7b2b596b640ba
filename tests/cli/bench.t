# `tenon bench`: its table, its files, and what it refuses. Libraries keep
# memory to the end, so that leaks are not looked for where one is loaded.

== no program
$ tenon bench
2> tenon: error: bench needs a FILE.tn
2> hint: tenon bench --help tells more
=> 2

== a peer that nobody knows
$ tenon bench examples/gemm.tn --vs openblas,mkl
2> tenon: error: --vs: no peer named mkl
2> hint: peers: openblas, blis, onednn, onednn-packed, libxsmm, cublaslt, copy
=> 2

== a peer for another target
$ tenon bench examples/gemm.tn --dims inspect --vs cublaslt
<any>
2> tenon: error: cublaslt: it is for --target cuda
=> 3

== a regime that is none
$ tenon bench examples/gemm.tn --regime hot
2> tenon: error: --regime: hot is neither warm nor cold
=> 2

== too little data for a cold figure
@ file one.tn
def f(x: f32[1]):
    return x + 1
@ end
$ tenon bench one.tn --regime cold --vs "" --rounds 1
<any>
2> tenon: error: a set of 8 bytes is too small for a cold figure: <n> sets would be needed
=> 3

== the table of one path
$ tenon bench gemm --dims inspect --vs "" --rounds 2
<any>
clock    host single, warm data, 2 rounds

<any>
tenon <any> pass<any>
<lines>

== against a copy of as many bytes
$ tenon bench examples/softmax.tn --dims inspect --vs copy --rounds 2
<any>
clock    host single, warm data, 2 rounds

<any>
tenon <any> pass<any>
copy <any> -<any>

copy: what is read and written, streamed
<lines>
$ tenon bench examples/gemm.tn --dims inspect --vs copy --rounds 1 --no-check | grep ^copy
copy            no copy moves what this program does: 1024 bytes read and 384 written

== against a library
? ASAN_OPTIONS=detect_leaks=0 tenon bench examples/gemm.tn --dims inspect --vs openblas --rounds 1 --no-check
$ ASAN_OPTIONS=detect_leaks=0 tenon bench examples/weight_view.tn --dims inspect --vs openblas --rounds 2 --dtype f32 --csv x.csv
<any>
clock    host single, warm data, 2 rounds

<any>
tenon <any> pass<any>
openblas <any> pass<any>

openblas: product, loop
<lines>
$ head -1 x.csv; wc -l < x.csv; sed -n 's/,[0-9.]*$//p' x.csv | sort | tail -4
case,path,round,position,clock,regime,us
5
weight_view,openblas,0,1,host single,warm
weight_view,openblas,1,0,host single,warm
weight_view,tenon,0,0,host single,warm
weight_view,tenon,1,1,host single,warm
$ grep -c '"openblas": "OpenBLAS' x.json; ls
1
examples
x.csv
x.json

== a library that is not there
? ! ldconfig -p | grep -q libxsmm
! cp "$TENON" here
$ ./here bench examples/gemm.tn --dims inspect --vs libxsmm --rounds 1
<any>
2> tenon: error: LIBXSMM not found: tried libxsmm.so, libxsmm.so.1 and peers/libxsmm.so beside tenon; install Debian's package libxsmm-dev and run make peers
=> 3

== samples that cannot be kept
$ tenon bench examples/gemm.tn --dims inspect --vs "" --rounds 1 --no-check --csv no/x.csv
2> tenon: error: cannot open no/x.csv: No such file or directory
=> 3
$ tenon bench examples/gemm.tn --dims inspect --vs "" --rounds 1 --no-check --csv /dev/full >out
2> tenon: error: cannot write /dev/full: No space left on device
=> 3

== interrupted: no file of samples
$ timeout -s INT 2 tenon bench examples/gemm.tn --vs "" --rounds 1000 --no-check --csv x.csv >out; echo $?; ls
124
examples
out
2> tenon: error: interrupted
