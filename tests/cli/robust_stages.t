# Texts of stages that were tampered with: refused at their place, exit 1.

== kernels whose accesses are out of bounds
$ tenon run examples/softmax.tn --dump=kernels > sound
$ sed 's/^\(\t*for i[0-9]* < K\) vector/\1 + 1 vector/' sound > text; cmp -s sound text || tenon run --from=kernels text
2> text:<n>:<n>: error: kernel k0, phase main: <any>: cannot prove <any>
2> <lines>
=> 1
$ sed 's/^\(\tbuffer worker .*\)\[K\]/\1[K - 1]/' sound > text; cmp -s sound text || tenon run --from=kernels text
2> text:<n>:<n>: error: kernel k0, phase main: <any>: cannot prove <any>
2> <lines>
=> 1

== kernels that compute with what is not there, or of another dtype
$ tenon run examples/softmax.tn --dump=kernels > sound
$ sed 's/= sub v\([0-9]*\) v[0-9]*/= sub v\1 v99/' sound > text; tenon run --from=kernels text
2> text:<n>:<n>: error: <any>v99<any>
2> <lines>
=> 1
$ sed 's/: f32 = sub/: f16 = sub/' sound > text; tenon run --from=kernels text
2> text:<n>:<n>: error: kernel k0, phase main: <any> is f32 where f16 is expected
2> <lines>
=> 1
$ sed '/^	.*= sub/d' sound > text; tenon run --from=kernels text
2> text:<n>:<n>: error: kernel k0, phase main: v<n> is used where it is not assigned
2> <lines>
=> 1
$ head -n 30 sound > text; tenon run --from=kernels text
2> text:<n>:<n>: error: <any>
2> <lines>
=> 1

== regions that are not the program's
$ tenon run examples/softmax.tn --dump=regions > sound
$ sed 's/body %1 %2/body %1/' sound > text; tenon run --from=regions text
2> text:<n>:1: error: these are no regions of the program: region 0: %2 is in no region
2> <lines>
=> 1
$ sed 's/outputs %9/outputs %8/' sound > text; tenon run --from=regions text
2> text:<n>:1: error: these are no regions of the program: region 0: %8 is not an output
2> <lines>
=> 1
$ sed 's/reduced \[1\]/reduced [0]/' sound > text; tenon run --from=regions text
2> text:<n>:1: error: these are no regions of the program: <any>
2> <lines>
=> 1
$ sed 's/reduced \[1\]/reduced [7]/' sound > text; tenon run --from=regions text
2> text:<n>:<n>: error: expected the number of an axis
2> <lines>
=> 1
$ sed '0,/ joined/s// apart/' sound > text; tenon run --from=regions text
2> text:<n>:1: error: these are no regions of the program: decision 0 says what the regions do not
2> <lines>
=> 1

== programs whose types do not follow from their operands
$ tenon run examples/softmax.tn --dump=rewritten > sound
$ sed 's/= view %2 map=\[i0\]/= view %2 map=[i1]/' sound > text; tenon run --from=rewritten text
2> text:<n>:1: error: `view` of f32[M] to f32[M, K]: the index i1 of axis 0 cannot be shown to lie inside
2> <lines>
=> 1
$ sed 's/: f32\[M\] = max/: f32[K] = max/' sound > text; tenon run --from=rewritten text
2> text:<n>:1: error: the operands give f32[M], which is not what is declared
2> <lines>
=> 1
$ sed 's/= sub %1 %3/= sub %1 %5/' sound > text; tenon run --from=rewritten text
2> text:<n>:<n>: error: there is no value %5 before this
2> <lines>
=> 1
$ sed 's/^return %9/return %99/' sound > text; tenon run --from=rewritten text
2> text:<n>:<n>: error: <any>%99<any>
2> <lines>
=> 1

== no text at all
$ : > text; for s in program rewritten regions kernels; do tenon run --from=$s text 2> log; echo $?; grep -c "^text:1:1: error: " log; done
1
1
1
1
1
1
1
1
$ tenon run --from=kernels text.none
2> tenon: error: cannot open text.none: No such file or directory
=> 3

== sizes that are unset when nothing runs
@ file f.tn
def f(x: f32[M, N]):
    return x + x
@ end
$ tenon run f.tn --emit-only --dim N=3
f   M N=3   cpu:<any>
emitted  1 kernel; nothing was compiled or run; --dump=sources prints the code
