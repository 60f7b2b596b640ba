# What `tenon run` prints, writes and refuses.

== the flagship
$ tenon run examples/weight_view.tn --dims inspect --threads 2
weight_view   M=8 K=16 N=24   cpu:<any>, 2 threads

input    x   f16 [8, 16]    seed 1
         wt  f16 [24, 16]   seed 1
         b   f16 [24]       seed 1
result   y   f16 [8, 24]
plan     <hex>   1 kernel, <any> of intermediates
         k0.<any>
compile  <time>   program <time>, plan <time>, code <any>
run      <time>   median of <n> blocks of <n> calls, p10 <time>, p90 <time>
check    y  pass
<lines>
           interval  pass: 192 elements, 0 outside, 0 undecided, median width <real> ulp
           fixed     <n> beyond 0.0002 + 0.002 |reference|; shown, never decisive

== two results
$ tenon run examples/public_projection.tn --dims inspect --no-check --repeat 2
public_projection   M=8 K=16 N=24   cpu:<any>

input    x  f16 [8, 16]    seed 1
         w  f16 [16, 24]   seed 1
         b  f16 [24]       seed 1
result   y  f16 [8, 24]
         p  f16 [8, 24]
plan     <hex>   1 kernel, 1 launch, <any> of intermediates
         k0.<any>
compile  <time>   program <time>, plan <time>, code <any>
run      <time>   median of 2 calls, p10 <time>, p90 <time>

== a compiled program is in the cache
$ tenon run examples/bias.tn --dims inspect --cache cache --no-check --repeat 0 | grep compile
compile  <time>   program <time>, plan <time>, code <time> by <any>
$ tenon run examples/bias.tn --dims inspect --cache cache --no-check --repeat 0 | grep compile
compile  <time>   program <time>, plan <time>, code from the cache
$ stat -c %a cache
700

== one plan for every size
$ tenon run examples/bias.tn --dims inspect --cache cache --no-check --repeat 0 | grep plan
plan     <hex>   1 kernel, 1 launch, <any> of intermediates
compile  <time>   program <time>, plan <time>, code <time> by <any>
$ tenon run examples/bias.tn --dim M=1 --dim N=7 --dim K=17 --cache cache --repeat 0 | grep -e compile -e check
compile  <time>   program <time>, plan <time>, code from the cache
check    y  pass

== results go to a folder, or to files by name
$ tenon run examples/public_projection.tn --dims inspect --no-check --repeat 0 -o out | grep result
result   y  f16 [8, 24]    out/y.npy
$ ls out
p.npy
y.npy
$ tenon run examples/public_projection.tn --dims inspect --no-check --repeat 0 --output p=only.npy > log
$ cmp out/p.npy only.npy
$ tenon run examples/public_projection.tn --dims inspect -o q=x.npy
2> tenon: error: the program has no result q
2> hint: they are y, p
=> 2

== repeat runs, thread counts and a fresh compilation give the same bits
$ tenon run examples/softmax.tn --dims screen --no-check --repeat 0 --threads 1 -o one > log
$ tenon run examples/softmax.tn --dims screen --no-check --repeat 3 --threads 2 -o two > log
$ tenon run examples/softmax.tn --dims screen --no-check --repeat 0 --threads 7 --cache new -o seven > log
$ cmp one/y.npy two/y.npy && cmp two/y.npy seven/y.npy

== no progress and no colour when nobody looks
$ tenon run examples/bias.tn --dims inspect --no-check --repeat 0 2>&1 | grep -c "$(printf '\033')"
0
=> 1

== zero-size and rank-0 tensors
@ file empty.tn
def empty(x: f32[M, 4], s: f32):
    return sum(x, axis=0) * s, x + s
@ end
$ tenon run empty.tn --dim M=0 --repeat 0
empty   M=0   cpu:<any>

input    x   f32 [0, 4]   seed 1
         s   f32          seed 1
result   y0  f32 [4]
         y1  f32 [0, 4]
plan     <any>
         k0.<any>
compile  <any>
run      <time>, the first call
check    y0  pass
<lines>
check    y1  pass
<lines>
@ file scalar.tn
def scalar(s: f32):
    return s + s
@ end
$ tenon run scalar.tn --repeat 0 -o .
scalar   cpu:<any>

input    s  f32   seed 1
result   y  f32   ./y.npy
plan     <any>
         k0.<any>
compile  <any>
run      <time>, the first call
check    y  pass
<lines>
$ tenon run scalar.tn --repeat 0 --in s=y.npy > log

== sizes
$ tenon run examples/bias.tn --dims huge
2> tenon: error: no set of dims named `huge`
2> hint: the program has: <any>
=> 2
$ tenon run examples/bias.tn --dim Q=1
2> tenon: error: no dim named `Q`
2> hint: the program's dims: M, K, N
=> 2
$ tenon run examples/bias.tn --dim M=-1
2> tenon: error: dim M = -1: must be 0 to <n>
=> 2
$ tenon run examples/bias.tn --dim M=99999999999999999999
2> tenon: error: --dim: M=99999999999999999999 is not of the form NAME=SIZE
=> 2
$ tenon run examples/bias.tn --dim M=1000000000000 --dim N=1000000000000
2> examples/bias.tn:<n>:<n>: error: this value has more than 2^63 elements
2> <lines>
=> 1
@ file nodims.tn
def nodims(x: f32[M]):
    return x + x
@ end
$ tenon run nodims.tn
2> tenon: error: dim M has no size
2> hint: give it with --dim NAME=SIZE or --dims SET
=> 2

== a fault of the program
@ file index.tn
def index(x: f32[M, K], i: i64[N]):
    return gather(x, i)
@ end
! $PYTHON -c "import numpy as np; np.save('i.npy', np.array([0, 7]))"
$ tenon run index.tn --dim M=4 --dim K=2 --in i=i.npy
2> index.tn:2:12: error: index 7 is out of range for axis 0 of extent 4
2>         return gather(x, i)
2>                ^~~~~~~~~~~~
2> hint: negative indices count from the end
=> 1
@ file divide.tn
def divide(a: i32[M], b: i32[M]):
    return a // b
@ end
! $PYTHON -c "import numpy as np; np.save('b.npy', np.array([1, 2, 0, 3], np.int32))"
$ tenon run divide.tn --in b=b.npy
2> divide.tn:2:12: error: integer division by zero at element [2]
2>         return a // b
2>                ^~~~~~
=> 1

== names that are not there
$ tenon run nothing.tn
2> tenon: error: cannot open nothing.tn: No such file or directory
=> 3
$ tenon run examples/bias.tn --entry other
2> tenon: error: examples/bias.tn has no def `other`
=> 2
$ tenon run examples/bias.tn --target cpu:none
2> tenon: error: --target cpu:none: not available in this version
2> hint: targets: cpu cpu:amx cpu:avx512_bf16 cpu:avx512_vnni cpu:avx512 cpu:avx2 cpu:neon cpu:base cuda cuda:sm_80 cuda:sm_90a opencl
=> 2
$ tenon run examples/bias.tn --target vulkan
2> tenon: error: --target vulkan: not available in this version
2> hint: targets: cpu cpu:amx cpu:avx512_bf16 cpu:avx512_vnni cpu:avx512 cpu:avx2 cpu:neon cpu:base cuda cuda:sm_80 cuda:sm_90a opencl
=> 2
$ tenon run examples/bias.tn --dtype f8
2> tenon: error: --dtype f8: not a float dtype
2> hint: one of f64, f32, f16, bf16
=> 2

== pins are met or refused
$ tenon run examples/relu.tn --dims inspect --pin loop.nothing=3
2> tenon: error: --pin loop.nothing=3: loop has the parameters lanes block walk stream width
2> hint: a pin that cannot be met is refused; leave it out to let the rule choose
=> 2
$ tenon run examples/relu.tn --dims inspect --pin nothing
2> tenon: error: --pin nothing: not a pin
2> hint: a pin is realisation.parameter=value, as in contract.mr=6, or join.VALUE=yes|no
=> 2
$ tenon run examples/relu.tn --dims inspect --target cpu:base --pin contract.mr=2 --repeat 0 | grep check
check    y  pass

== sizes are fixed in the plan
$ tenon run examples/gemm.tn --dims inspect --fix-dims --dim M=7 --repeat 0 | grep -E "check|result"
result   y  f16 [7, 24]
check    y  pass
$ tenon run examples/gemm.tn --dims inspect --fix-dims --dump=program --emit-only | grep matmul
%2: f16[8, 24] = matmul %0 %1 acc=f32 @0:9:12+5
$ tenon run examples/gemm.tn --dims inspect --dump=kernels > k.kernels; tenon run k.kernels --from kernels --fix-dims
2> tenon: error: --fix-dims has no meaning with --from
=> 2
