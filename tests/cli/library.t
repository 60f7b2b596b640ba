# Products by libraries of the CPU. OPENBLAS_CORETYPE chooses its kernels, which
# its name and so a plan's compiler has.

== a product by OpenBLAS
? test -n "$TEST_SETUP" || tenon devices | grep -q "libopenblas.so.0 .*found (for"
$ tenon run examples/linear.tn --dims inspect --dtype f32 --no-check --repeat 0 --pin library.product=openblas --save-plan p.json > log; grep -o '"compiler": .*OpenBLAS [0-9]*[.]' p.json | grep -o 'OpenBLAS.*'
OpenBLAS 0.
$ tenon explain examples/linear.tn --dims inspect --dtype f32 --pin library.product=openblas | grep -c 'pinned: OpenBLAS, 32f_pedantic, no epilogue, sums in f32'
1

== a plan of another version is refused
? tenon devices | grep -q "libopenblas.so.0 .*found (for"
? test "$(uname -m)" = x86_64
! export OPENBLAS_CORETYPE=Nehalem; tenon run examples/linear.tn --dims inspect --dtype f32 --no-check --repeat 0 --pin library.product=openblas --save-plan p.json > log
$ OPENBLAS_CORETYPE=Nehalem tenon replay p.json --dims inspect --repeat 0 | grep -c check
1
$ OPENBLAS_CORETYPE=Sandybridge tenon replay p.json --dims inspect --repeat 0
2> tenon: error: p.json: compiled by `<any>OpenBLAS <any>Nehalem<any>`; this machine's compiler is `<any>OpenBLAS <any>Sandybridge<any>`
2> hint: a plan runs exactly as it was written, or not at all
=> 1

== a library that is not here
! mkdir none; echo > none/libopenblas.so.0; echo > none/libopenblas.so; echo > none/libdnnl.so.2
$ LD_LIBRARY_PATH=none tenon run examples/linear.tn --dims inspect --dtype f32 --pin library.product=openblas
2> tenon: error: OpenBLAS is not found: tried libopenblas.so.0, libopenblas.so
2> hint: install it (Debian's package libopenblas0-pthread), or leave the pin library.product out
=> 3
$ LD_LIBRARY_PATH=none tenon run examples/linear.tn --dims inspect --dtype f32 --pin library.product=onednn
2> tenon: error: oneDNN 2 is not found: tried libdnnl.so.2
2> hint: install it (Debian's package libdnnl2), or leave the pin library.product out
=> 3

== a plan whose library is not here
? tenon devices | grep -q "libopenblas.so.0 .*found (for"
! tenon run examples/linear.tn --dims inspect --dtype f32 --no-check --repeat 0 --pin library.product=openblas --save-plan p.json > log
! mkdir none; echo > none/libopenblas.so.0; echo > none/libopenblas.so
$ LD_LIBRARY_PATH=none tenon replay p.json --dims inspect
2> tenon: error: OpenBLAS is not found: tried libopenblas.so.0, libopenblas.so
2> hint: install it (Debian's package libopenblas0-pthread), or leave the pin library.product out
=> 3

== a library that there is not
$ tenon run examples/linear.tn --dims inspect --dtype f32 --pin library.product=mkl
2> tenon: error: --pin library.product=mkl: libraries are cublaslt, openblas and onednn
2> hint: a pin is realisation.parameter=value, as in contract.mr=6, or join.VALUE=yes|no
=> 2
