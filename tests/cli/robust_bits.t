# The same bits from fresh processes, whatever their threads.

== all examples, one thread and eight
# Under the sanitizers, which run this slowly, two of them.
! mkdir one eight
$ for e in examples/${TEST_SAN:+[st][ow][fo]}*.tn; do n=$(basename $e .tn); d=M; test $n = attention && d=L; grep -q 'T = ' $e && d=T; tenon run $e --dim $d=131 --no-check --repeat 0 --threads 1 -o one/$n > log && tenon run $e --dim $d=131 --no-check --repeat 0 --threads 8 -o eight/$n > log || echo $n; done
$ diff -r one eight && ls one/softmax one/two_layer
one/softmax:
y.npy

one/two_layer:
y.npy

== another compiler's code is another plan and agrees with the oracle
? clang-14 --version && test -z "$TEST_SAN"
$ for e in softmax weight_view; do tenon run examples/$e.tn --dims inspect --repeat 0 --cc clang-14 | grep check; done
check    y  pass
check    y  pass
