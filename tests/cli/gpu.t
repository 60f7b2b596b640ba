# --target opencl, run; --target cuda:ARCH, emitted. PoCL's libraries leak when
# the process ends.

== a program on an OpenCL device
? test -n "$TEST_SETUP" || tenon devices | grep -q "  opencl:0 "
$ export ASAN_OPTIONS=detect_leaks=0; tenon run examples/softmax.tn --dims inspect --target opencl --repeat 0
softmax_rows   M=8 K=16   opencl<any>

input    x  f16 [8, 16]   seed 1
result   y  f16 [8, 16]
plan     <hex>   1 kernel, 6 launches, 128 B of intermediates
         k0.main k0.pass0 k0.fold0 k0.pass1 k0.fold1 k0.pass2
compile  <time>   <any>
run      <time>, the first call
check    y  pass
<lines>

== no OpenCL device
$ OCL_ICD_VENDORS=$HOME ASAN_OPTIONS=detect_leaks=0 tenon run examples/relu.tn --dims inspect --target opencl
2> tenon: error: the OpenCL loader is here, but no platform
2> hint: install a platform: <any>
=> 3

== an integer division by zero
? test -n "$TEST_SETUP" || tenon devices | grep -q "  opencl:0 "
@ file f.tn
def f(a: i32[M, 100], b: i32[M, 100]):
    c = a + 1
    return c // b
@ end
@ file make.py
import numpy as np
b = np.ones((3, 100), np.int32)
np.save("a.npy", b)
b[1, 70] = b[1, 71] = b[2, 0] = 0
np.save("b.npy", b)
@ end
! $PYTHON make.py
$ tenon run f.tn --in a=a.npy --in b=b.npy --target cpu
2> f.tn:3:12: error: integer division by zero at element [1, 70]
2>         return c // b
2>                ^~~~~~
=> 1
$ export ASAN_OPTIONS=detect_leaks=0; tenon run f.tn --in a=a.npy --in b=b.npy --target opencl
2> f.tn:3:12: error: integer division by zero at element [1, 70]
2>         return c // b
2>                ^~~~~~
=> 1

== an index out of range
? test -n "$TEST_SETUP" || tenon devices | grep -q "  opencl:0 "
@ file f.tn
def f(a: f32[5, 4], n: i64[M]):
    return gather(a, n, axis=0)
@ end
@ file make.py
import numpy as np
np.save("a.npy", np.ones((5, 4), np.float32))
np.save("n.npy", np.array([0, 4, -5, -6, 5], np.int64))
@ end
! $PYTHON make.py
$ tenon run f.tn --in a=a.npy --in n=n.npy --target cpu
2> f.tn:2:12: error: index -6 is out of range for axis 0 of extent 5
2>         return gather(a, n, axis=0)
2>                ^~~~~~~~~~~~~~~~~~~~
2> hint: negative indices count from the end
=> 1
$ export ASAN_OPTIONS=detect_leaks=0; tenon run f.tn --in a=a.npy --in n=n.npy --target opencl
2> f.tn:2:12: error: index -6 is out of range for axis 0 of extent 5
2>         return gather(a, n, axis=0)
2>                ^~~~~~~~~~~~~~~~~~~~
2> hint: negative indices count from the end
=> 1

== sizes of zero
? test -n "$TEST_SETUP" || tenon devices | grep -q "  opencl:0 "
@ file f.tn
def f(a: f32[M, K], b: f32[K, N]):
    return relu(a @ b), sum(a, axis=1), a * 2
@ end
$ export ASAN_OPTIONS=detect_leaks=0; tenon run f.tn --dim M=0 --dim K=3 --dim N=5 --target opencl --repeat 0 | grep check
check    y0  pass
check    y1  pass
check    y2  pass
$ export ASAN_OPTIONS=detect_leaks=0; tenon run f.tn --dim M=4 --dim K=0 --dim N=5 --target opencl --repeat 0 | grep -E 'check|exact'
check    y0  pass
           exact     pass: 20 of 20 elements have one legal value, 0 differ
check    y1  pass
           exact     pass: 4 of 4 elements have one legal value, 0 differ
check    y2  pass
           exact     pass: 0 of 0 elements have one legal value, 0 differ

== a plan of a device is replayed, or refused
? test -n "$TEST_SETUP" || tenon devices | grep -q "  opencl:0 "
$ export ASAN_OPTIONS=detect_leaks=0; tenon run examples/softmax.tn --target opencl --dims inspect --seed 5 --no-check --repeat 0 --save-plan p.json -o a | grep plan | head -1
plan     <hex>   1 kernel, 6 launches, 128 B of intermediates
$ export ASAN_OPTIONS=detect_leaks=0; tenon replay p.json --dims inspect --seed 5 --repeat 0 -o b
softmax_rows   M=8 K=16   opencl<any>

input    x  f16 [8, 16]   seed 5
result   y  f16 [8, 16]   b/y.npy
plan     <hex>   1 kernel, 6 launches, 128 B of intermediates
         k0.main k0.pass0 k0.fold0 k0.pass1 k0.fold1 k0.pass2
compile  <time>   <any>
run      <time>, the first call
check    y  pass
<lines>
$ cmp a/y.npy b/y.npy
# in the sources, the kernels, and what compiled them
$ sed 's/get_local_id/get_group_id/' p.json > q.json; cmp -s p.json q.json; echo $?; tenon replay q.json --dims inspect
1
2> tenon: error: q.json: <any>
2> hint: a plan runs exactly as it was written, or not at all; make it anew with `tenon run --save-plan`
=> 1
$ sed 's/threads 64/threads 32/' p.json > q.json; cmp -s p.json q.json; echo $?; tenon replay q.json --dims inspect
1
2> tenon: error: q.json: <any>
2> hint: a plan runs exactly as it was written, or not at all; make it anew with `tenon run --save-plan`
=> 1
$ sed 's/"compiler": "OpenCL/"compiler": "OpenGL/' p.json > q.json; cmp -s p.json q.json; echo $?; tenon replay q.json --dims inspect
1
2> tenon: error: q.json: <any>
2> hint: a plan runs exactly as it was written, or not at all; make it anew with `tenon run --save-plan`
=> 1

== CUDA C is printed anywhere
$ tenon run examples/softmax.tn --target cuda:sm_90a --emit-only --dump sources > text; grep -c __global__ text; grep -m 1 -A 1 __launch_bounds__ text
6
extern "C" __global__ void __launch_bounds__(<n>)
k0_main(const uint16_t *__restrict__ b_x,
$ OCL_ICD_VENDORS=$HOME tenon run examples/softmax.tn --target opencl --emit-only --dump sources > text; grep -c __kernel text
6

$ tenon run examples/gemm.tn --target cuda:sm_90a --emit-only --pin library.product=cublaslt
gemm   <any>
emitted  1 kernel; nothing was compiled or run; --dump=sources prints the code
2> tenon: nothing is compiled: products are cuBLASLt's, which needs a device

== CUDA is compiled where NVRTC is
? test -n "$TEST_SETUP" || tenon devices | grep -q "NVRTC .*, found"
$ tenon run examples/gemm.tn --dims main --fix-dims --target cuda:sm_90a --emit-only -o built --save-plan p.json
gemm   <any>
emitted  1 kernel; compiled by NVRTC <any>, not run
         k0.main      <n> registers, no spills, <n> bytes shared, <n> bytes of code, <n> HGMMA
$ ls built; head -c 4 built/k0.cubin | tail -c 3; echo; grep -c __global__ built/k0.cu
k0.cu
k0.cubin
ELF
<n>
$ tenon explain examples/gemm.tn --dims main --dtype f32 --target cuda:sm_80 --emit-only | grep "spills,"
      <n> registers, no spills, <n> bytes of a block's memory, <n> bytes of code
$ tenon run examples/gemm.tn --dims main --fix-dims --target cuda:sm_80 --emit-only --json | grep -A 1 spilled_bytes
        "spilled_bytes": 0,
        "code_bytes": <n>,
$ tenon run examples/gemm.tn --target cuda:sm_90a --emit-only -o built/k0.cu/no
gemm   <any>
emitted  1 kernel; compiled by NVRTC <any>, not run
<any>
<any>
<any>
<any>
2> tenon: error: cannot make built/k0.cu/no: Not a directory
=> 3
$ grep -o '"compiler": "NVRTC' p.json
"compiler": "NVRTC

== a plan of a device that is not here
? ! ldconfig -p | grep -q libcuda.so.1
? test -n "$TEST_SETUP" || tenon devices | grep -q "NVRTC .*, found"
$ tenon run examples/gemm.tn --dims main --fix-dims --target cuda:sm_90a --emit-only --save-plan p.json > text; tenon replay p.json
2> tenon: error: the CUDA driver is not found: libcuda.so.1: <any>
2> hint: install NVIDIA's driver for this GPU (libcuda comes with it, not with the CUDA toolkit)
=> 3
$ tenon run examples/gemm.tn --emit-only --save-plan p.json
2> tenon: error: only a compiled plan is saved
=> 2

== CUDA without a driver
? ! ldconfig -p | grep -q libcuda.so.1
$ tenon run examples/softmax.tn --target cuda:sm_90a
2> tenon: error: the CUDA driver is not found: libcuda.so.1: <any>
2> hint: install NVIDIA's driver for this GPU (libcuda comes with it, not with the CUDA toolkit)
=> 3
$ tenon check examples/softmax.tn --target cuda:sm_90a
2> tenon: error: the CUDA driver is not found: libcuda.so.1: <any>
2> hint: install NVIDIA's driver for this GPU (libcuda comes with it, not with the CUDA toolkit)
=> 3
$ tenon run examples/relu.tn --target cuda
2> tenon: error: the CUDA driver is not found: libcuda.so.1: <any>
2> hint: install NVIDIA's driver for this GPU (libcuda comes with it, not with the CUDA toolkit)
=> 3

== a device by its number, from the binary that is kept
? test -n "$TEST_SETUP" || tenon devices | grep -q "  opencl:0 "
$ export ASAN_OPTIONS=detect_leaks=0; for i in 1 2; do tenon run examples/relu.tn --dims inspect --target opencl:0 --repeat 0 --no-check > text; done; grep compile text
compile <any> code from the cache
$ tenon check examples/relu.tn --target opencl:77
2> tenon: error: there is no OpenCL device 77: devices are numbered from 0, and there <any>
=> 3

== targets that are none
$ tenon run examples/relu.tn --target cuda:sm_9x --emit-only
2> tenon: error: --target cuda:sm_9x names no architecture of CUDA
2> hint: as in cuda:sm_80 or cuda:sm_90a; `tenon devices` says what a GPU here is
=> 2
$ tenon run examples/relu.tn --target cuda:90a --emit-only
2> tenon: error: --target cuda:90a names no architecture of CUDA
2> hint: as in cuda:sm_80 or cuda:sm_90a; `tenon devices` says what a GPU here is
=> 2
$ tenon check examples/relu.tn --target opencl:x
2> tenon: error: --target opencl:x names no device of OpenCL
2> hint: as in opencl, the first that keeps the contract, or opencl:1, which `tenon devices` lists
=> 2
$ tenon run examples/relu.tn --target openclx
2> tenon: error: --target openclx: not available in this version
2> hint: targets: cpu <any> cuda:sm_80 cuda:sm_90a opencl
=> 2
