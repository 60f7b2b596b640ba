# --dump, --from, --emit-only, --stop-after and --skip.

== one stage is its text alone, several have headings
$ tenon run examples/gemm.tn --dump=program
program gemm <any>
<lines>
$ tenon run examples/gemm.tn --dump=program,kernels | grep ==
1> == program ==
1> == kernels ==

== stages that are not there
$ tenon run examples/gemm.tn --dump=nothing
2> tenon: error: --dump=nothing: no such stage
2> hint: stages: program, rewritten, alternatives, regions, kernels, sources, plan
=> 2
$ tenon run examples/gemm.tn --dump=kernels --stop-after=partition
2> tenon: error: --dump=kernels: this run has no such stage
=> 2

== work resumes from a stage, and is the same work
$ tenon run examples/rmsnorm.tn --dump=kernels > text
$ tenon run examples/rmsnorm.tn --dims inspect --seed 3 --repeat 0 --no-check -o direct > log
$ tenon run --from=kernels text --dims inspect --seed 3 --repeat 0 -o resumed | grep check
check    y  pass
$ cmp direct/y.npy resumed/y.npy

== a stage text that is wrong
@ file bad
program f @0:1:5+1
source 0 "x.tn"
%0: f32[4] = nothing
@ end
$ tenon run --from=program bad
2> bad:3:<n>: error: <any>
2> <lines>
=> 1
$ tenon run --from=plan bad
2> tenon: error: --from=plan: resumes from program, rewritten, regions or kernels
=> 2

== passes can be left out
$ tenon run examples/relu.tn --dims inspect --skip=cse --repeat 0 | grep check
check    y  pass
$ tenon run examples/relu.tn --skip=nothing
2> tenon: error: --skip nothing: no such pass that can be left out
2> hint: passes: <any>
=> 2
$ tenon run examples/relu.tn --stop-after=nothing --dump=program
2> tenon: error: --stop-after nothing: no such pass
2> hint: passes: <any>
=> 2
