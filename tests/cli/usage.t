# Wrong command lines: exit 2, what is wrong, and the nearest right word.

== no command
$ tenon
2> tenon: error: no command given
2> hint: tenon --help lists them
=> 2

== unknown command, near one
$ tenon rnu
2> tenon: error: unknown command rnu
2> hint: did you mean run?
=> 2

== unknown command, near none
$ tenon frobnicate
2> tenon: error: unknown command frobnicate
2> hint: tenon --help lists them
=> 2

== commands of later versions are not there
$ tenon import x.tn
2> tenon: error: import is not available in this version
=> 2
$ tenon build
2> tenon: error: build is not available in this version
=> 2

== no operand
$ tenon run
2> tenon: error: run needs a FILE.tn
2> hint: tenon run --help tells more
=> 2
$ tenon replay
2> tenon: error: replay needs a PLAN.json
2> hint: tenon replay --help tells more
=> 2

== too many operands
$ tenon run a.tn b.tn
2> tenon: error: run takes one FILE.tn; b.tn is one too many
=> 2
$ tenon devices a.tn
2> tenon: error: devices takes no operand: a.tn
=> 2

== unknown option, near one
$ tenon run --treads 2 x.tn
2> tenon: error: unknown option --treads
2> hint: did you mean --threads?
=> 2

== unknown option, near none
$ tenon run --frobnicate x.tn
2> tenon: error: unknown option --frobnicate
2> hint: tenon run --help lists them
=> 2
$ tenon run -x
2> tenon: error: unknown option -x
2> hint: tenon run --help lists them
=> 2

== an option of another command
$ tenon run --families exact x.tn
2> tenon: error: run takes no option --families
=> 2

== an option without its value
$ tenon run x.tn --entry
2> tenon: error: option --entry needs a value: DEF
=> 2
$ tenon run x.tn -o
2> tenon: error: option --output needs a value: DIR
=> 2

== a value that an option does not take
$ tenon run x.tn --json=yes
2> tenon: error: option --json takes no value
=> 2

== numbers
$ tenon run x.tn --threads 0
2> tenon: error: --threads: 0 is not a whole number from 1 to 4096
=> 2
$ tenon run x.tn --threads=two
2> tenon: error: --threads: two is not a whole number from 1 to 4096
=> 2
$ tenon run examples/weight_view.tn --seed -1
2> tenon: error: --seed: -1 is not a whole number from 0 to 9223372036854775807
=> 2
$ tenon run examples/weight_view.tn --repeat 1e3
2> tenon: error: --repeat: 1e3 is not a whole number from 0 to 1000000
=> 2

== pairs
$ tenon run examples/weight_view.tn --in x.npy
2> tenon: error: --in: x.npy is not of the form NAME=FILE.npy
=> 2
$ tenon run examples/weight_view.tn --in =x.npy
2> tenon: error: --in: =x.npy is not of the form NAME=FILE.npy
=> 2
$ tenon run examples/weight_view.tn --dim M
2> tenon: error: --dim: M is not of the form NAME=SIZE
=> 2
$ tenon run examples/weight_view.tn --dim M=big
2> tenon: error: --dim: M=big is not of the form NAME=SIZE
=> 2

== options that exclude each other
$ tenon run --from program --entry f x
2> tenon: error: --entry has no meaning with --from
=> 2
$ tenon run examples/weight_view.tn --stop-after regions
2> tenon: error: --stop-after needs --dump: there is nothing to run
=> 2

== -- ends the options
$ tenon run -- --json
2> tenon: error: <any>--json<any>
2> <lines>
=> 3

== version and help
$ tenon --version
tenon 0.1.0
$ tenon --help
usage: tenon COMMAND [options]

<lines>
$ tenon help run
usage: tenon run FILE.tn [options]

<lines>
$ tenon run --help
usage: tenon run FILE.tn [options]

<lines>
$ tenon help nothing
2> tenon: error: unknown command nothing
2> hint: tenon --help lists them
=> 2

== standard output that cannot be written
$ tenon --help > /dev/full
2> tenon: error: cannot write to standard output: No space left on device
=> 3
$ tenon run --help | true

== affinity that is none
$ tenon run examples/relu.tn --affinity 1-
2> tenon: error: `1-` is not a list of CPUs
2> hint: CPUs are listed as in 0-3,8
=> 2
$ tenon run examples/relu.tn --affinity 4000
2> tenon: error: CPUs 4000: this process may not use all of them
=> 2

== affinity changes no result
$ cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//'); tenon run examples/softmax.tn --dims screen --no-check --repeat 0 -o free > log && tenon run examples/softmax.tn --dims screen --no-check --repeat 3 --affinity $cpu,$cpu -o bound > log && cmp free/y.npy bound/y.npy
