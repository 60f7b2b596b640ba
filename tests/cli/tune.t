# `tenon tune`, and what is done with the plan that it finds. No case depends
# on what is fast: one is told what was chosen, and may be the rule's choice.

== what needs no measurement
@ file a.tn
def f(x: f32[M]):
    return x * 2 + 1
dims inspect: M = 8
@ end
? test -z "$TEST_SAN"
$ tenon tune examples/softmax.tn --dims inspect --policy rule --without all --ledger l -o p.json
softmax_rows   M=8 K=16   cpu:<any>
search   rule, complete: 0 tried of <n> variants in <time>
ledger   search 1: <n> considered = 1 chosen + <n> refused + <n> left
chosen   predicted <real> us, the rule's choice <real> us
plan     <hex>   1 kernel, <n> launches
$ tenon tune examples/softmax.tn --dims inspect --policy model --without all --ledger l -o q.json
softmax_rows   M=8 K=16   cpu:<any>
search   model, complete: 0 tried of <n> variants in <time>
ledger   search 2: <n> considered = <n> chosen + <n> refused + <n> left
chosen   predicted <real> us, the rule's choice <real> us<any>
plan     <hex>   <n> kernel<any>
# the plan of the rule is that of a run
$ tenon run examples/softmax.tn --dims inspect --no-check --repeat 0 --save-plan r.json >log; cmp p.json r.json
# the same search is not done again, but for --again, and another is another
$ tenon tune examples/softmax.tn --dims inspect --policy model --without all --ledger l 
softmax_rows   M=8 K=16   cpu:<any>
search   2, done <any> UTC by model: nothing to do (--again searches anew)
plan     <hex>   <any>
! tenon tune a.tn --policy model --ledger l >log
$ for o in --again '--threads 1' '--seed 2' '--regime cold'; do tenon tune a.tn --policy model --ledger l $o | grep -o 'search [0-9]*:'; done
search 4:
search 5:
search 6:
search 7:
$ tenon ledger --all --ledger l | awk '{ n = n " " $1 } END { print n }'
1>  search 7 6 5 4 3 2 1

== a search that measures, and its plan
? test -z "$TEST_SAN"
$ tenon tune examples/weight_view.tn --dims inspect --policy beam:1 --budget 3 --without all --ledger l -o p.json
weight_view   M=8 K=16 N=24   cpu:<any>
search   beam:1, complete: 3 tried of <n> variants in <time>
ledger   search 1: <n> considered = <n> chosen + <any> refused + <n> left
chosen   <any>
plan     <hex>   <any>
$ tenon tune examples/weight_view.tn --dims inspect --policy beam:1 --budget 3 --without all --ledger l
weight_view   M=8 K=16 N=24   cpu:<any>
search   1, done <any> UTC by beam:1: nothing to do (--again searches anew)
plan     <hex>   <any>
# replay, run and check have its identity
$ tenon tune examples/weight_view.tn --dims inspect --policy beam:1 --budget 3 --without all --ledger l | grep ^plan | cut -c 1-21 >tune
$ tenon replay p.json --dims inspect --repeat 0 | tee log | grep ^plan | cut -c 1-21 >replay; cmp tune replay && grep -c '^check    y  pass' log
1
$ tenon run examples/weight_view.tn --dims inspect --plan p.json --repeat 0 | tee log | grep ^plan | cut -c 1-21 >run; cmp tune run && grep -c '^check    y  pass' log
1
$ tenon check examples/weight_view.tn --dims inspect --plan p.json --families exact --json | grep -o '"identity": "[0-9a-f]*"' | cut -c 14-25 | sed 's/^/plan     /' >check; cmp tune check
$ tenon bench examples/weight_view.tn --dims inspect --plan p.json --vs "" --rounds 1 --no-check --json | grep -c "$(cut -c 10- tune)"
1

== a plan that is edited
@ file a.tn
def f(x: f32[M]):
    return x * 2 + 1
dims inspect: M = 8
@ end
! tenon tune a.tn --dims inspect --policy rule --ledger l -o p.json >log
! sed 's/"loop \(.*\) block=[0-9]*/"loop \1 block=4096/' p.json >tile.json
$ cmp -s p.json tile.json; echo $?
1
$ tenon replay tile.json --dims inspect --repeat 0
2> tenon: error: tile.json: part `choices` was changed: its SHA-256 is <hex>... and <hex>... is recorded
2> hint: a plan runs exactly as it was written, or not at all; make it anew with `tenon run --save-plan`
=> 1
$ tenon replay tile.json --dims inspect --repeat 0 --adopt --save-plan a.json | tee log | grep -c '^check    y  pass'; grep -o 'block=4096' a.json | head -1
1
block=4096
# it is another plan, that stands by itself
$ grep '^plan' log | cut -c 10-21 >new; grep -c "\"tenon_plan\": \"$(cat new)" a.json; grep -c "\"tenon_plan\": \"$(cat new)" p.json; tenon replay a.json --dims inspect --repeat 0 | grep -c "^plan     $(cat new)"
1
0
1
# what it makes cannot be followed
$ sed 's/"loop .*"/"attention rows=3"/' p.json >q.json; tenon replay q.json --dims inspect --repeat 0 --adopt
2> tenon: error: refused: kernel k0 cannot be attention: the region is not two products with rows between
=> 1
$ sed 's/"loop .*"/"loop block=three"/' p.json >q.json; tenon replay q.json --dims inspect --repeat 0 --adopt
2> tenon: error: <any>
2> <lines>
=> 1
# two kernels are not one
$ sed 's/"pins": \[\]/"pins": ["join.%3=no"]/' p.json >q.json; tenon replay q.json --dims inspect --repeat 0 --adopt
2> tenon: error: refused: 1 kernels are chosen, and the program has 2 with these pins
2> hint: `choices` has a line a kernel, and its pins decide how many there are; --dump=regions shows them
=> 1

== another join is followed
? test -z "$TEST_SAN"
! tenon tune examples/bias.tn --dims inspect --policy rule --without all --ledger l -o p.json >log
! printf '%s\n' 'import json' 'p = json.load(open("p.json"))' 'p["choices"]["pins"] = ["join.%3=no"]' 'p["choices"]["kernels"].append("loop lanes=8 block=16384 walk=0 stream=0")' 'json.dump(p, open("q.json", "w"), indent=1)' >edit.py
! "$PYTHON" edit.py
$ grep -h ^plan log | sed 's/[0-9a-f]\{12\}/ID/'; tenon replay q.json --dims inspect --repeat 0 --adopt | grep -e ^plan -e '^check    y'
plan     ID   1 kernel, <n> launch<any>
plan     <hex>   2 kernels, <n> launches, <any>
check    y  pass

== the pin of a library is part of what is followed
? test -z "$TEST_SAN"
? tenon run examples/affine.tn --dtype f32 --dims inspect --pin library.product=openblas --no-check --repeat 0
$ tenon run examples/affine.tn --dtype f32 --dims inspect --pin library.product=openblas --no-check --repeat 0 --save-plan p.json >log; ASAN_OPTIONS=detect_leaks=0 tenon replay p.json --dims inspect --repeat 0 --adopt | grep ^plan
plan     <hex>   2 kernels, <any>

== a plan of another program, or with options that it has
@ file a.tn
def f(x: f32[M]):
    return x + 1
dims inspect: M = 8
@ end
@ file b.tn
def f(x: f32[M]):
    return x + 2
dims inspect: M = 8
@ end
! tenon tune a.tn --dims inspect --policy rule --ledger l -o p.json >log
$ tenon run b.tn --dims inspect --plan p.json
2> tenon: error: p.json: it is for another program: `%1: f32 = const data=0x1p+0` in the plan, `%1: f32 = const data=0x1p+1` here
2> hint: a plan runs exactly as it was written, or not at all
=> 1
$ tenon run examples/rmsnorm.tn --dims inspect --plan p.json
2> tenon: error: p.json: it is for another program: `program f` in the plan, `program rmsnorm` here
2> hint: a plan runs exactly as it was written, or not at all
=> 1
$ tenon run a.tn --dims inspect --plan p.json --pin loop.lanes=8
2> tenon: error: --pin has no meaning with --plan
=> 2
$ tenon run a.tn --dims inspect --plan nothing.json
2> tenon: error: cannot open nothing.json: No such file or directory
=> 3

== what is asked for is not understood
$ for b in 0 60x 1.5 ,60s 60s, 3,4 1e99s ''; do tenon tune examples/softmax.tn --budget "$b" 2>&1; echo $?; done | uniq -c | sed 's/^ *//'
1 tenon: error: --budget: 0 is not seconds (60s), candidates (200) or both (60s,200)
1 2
1 tenon: error: --budget: 60x is not <any>
1 2
1 tenon: error: --budget: 1.5 is not <any>
1 2
1 tenon: error: --budget: ,60s is not <any>
1 2
1 tenon: error: --budget: 60s, is not <any>
1 2
1 tenon: error: --budget: 3,4 is not <any>
1 2
1 tenon: error: --budget: 1e99s is not <any>
1 2
1 tenon: error: --budget:  is not <any>
1 2
$ for p in beam: beam:1001 rule:3 ''; do tenon tune examples/softmax.tn --policy "$p" --ledger l 2>&1 | head -1; done; ls
tenon: error: --policy beam:: there is no such policy
tenon: error: --policy beam:1001: there is no such policy
tenon: error: --policy rule:3: there is no such policy
tenon: error: --policy : there is no such policy
examples
$ tenon tune examples/softmax.tn --policy best --ledger l
2> tenon: error: --policy best: there is no such policy
2> hint: policies: rule, model, beam:K, evolve:N (K and N 1 to 1000, by default 4 and 16), all
=> 2
$ tenon tune examples/softmax.tn --regime hot
2> tenon: error: --regime hot: it is warm or cold
=> 2
$ tenon tune examples/softmax.tn --without nothing --policy rule --ledger l
2> tenon: error: no rule of alternatives is named `nothing`
2> hint: rules: cse operand_swap <any>
=> 2
$ tenon tune examples/softmax.tn --dims inspect --pin rowreduce.rows=many --policy rule --ledger l
2> tenon: error: <any>rowreduce.rows=many<any>
2> <lines>
=> 2
$ tenon tune
2> tenon: error: tune needs a FILE.tn
2> hint: tenon tune --help tells more
=> 2

== a dim without a size
@ file f.tn
def f(x: f32[M, 8]):
    return x + 1
@ end
$ tenon tune f.tn --policy rule --ledger l
2> tenon: error: dim M has no size
2> hint: give it with --dim NAME=SIZE or --dims SET
=> 2
$ tenon tune f.tn --policy rule --ledger l --dim M=4 | grep -c '^plan'
1

== two regions that compute the same
? test -z "$TEST_SAN"
@ file f.tn
def f(x: f32[M, K], w: f32[K, K], v: f32[K, K]):
    return (x @ w) @ v
dims inspect: M = 8, K = 16
@ end
$ for p in rule model; do tenon tune f.tn --policy $p --without all --ledger l --pin contract.nr=32 | grep -o '^plan.*, '; done
plan     <hex>   2 kernels, 
plan     <hex>   2 kernels, 

== the outcome cannot be written
@ file a.tn
def f(x: f32[M]):
    return x * 2 + 1
dims inspect: M = 8
@ end
$ tenon tune a.tn --dims inspect --policy rule --ledger l -o no/p.json | tail -1
plan     <hex>   1 kernel, 1 launch
2> tenon: error: cannot write no/p.json: No such file or directory
$ tenon tune a.tn --dims inspect --policy rule --ledger l -o no/p.json >log
2> tenon: error: cannot write no/p.json: No such file or directory
=> 3
# nothing is lost: the search was done
$ tenon tune a.tn --dims inspect --policy rule --ledger l -o p.json | grep -c 'nothing to do'; ls p.json
1
p.json

== the ledger is none
@ file a.tn
def f(x: f32[M]):
    return x * 2 + 1
dims inspect: M = 8
@ end
! echo text >text; mkdir folder
$ tenon tune a.tn --dims inspect --policy rule --ledger text; cat text
text
2> tenon: error: text is not a ledger: it is no SQLite database
2> hint: move it away, and Tenon makes a new one
$ tenon tune a.tn --dims inspect --policy rule --ledger text
2> tenon: error: text is not a ledger: it is no SQLite database
2> hint: move it away, and Tenon makes a new one
=> 3
$ tenon tune a.tn --dims inspect --policy rule --ledger folder
2> tenon: error: the ledger folder is not a file
2> hint: move it away, and Tenon makes a new one
=> 3

== the budget ends what was to be all
? test -z "$TEST_SAN"
$ tenon tune examples/softmax.tn --dims inspect --policy all --budget 2 --without all --ledger l -o p.json
softmax_rows   M=8 K=16   cpu:<any>
search   all, exhausted: 2 tried of <n> variants in <time>
ledger   search 1: <n> considered = <any> left
chosen   <any>
plan     <hex>   <any>
2> tenon: error: the budget ended the search: <n> candidates were not tried
2> hint: a larger --budget, or another --policy
=> 1
$ tenon replay p.json --dims inspect --repeat 0 | grep -c '^check    y  pass'
1

== interrupted: the best so far, and the ledger says so
? test -z "$TEST_SAN"
# Once a candidate has its outcome, Ctrl-C.
! printf '%s\n' 'import os, signal, sqlite3, subprocess, sys, time' 'p = subprocess.Popen([os.environ["TENON"], "tune", "examples/softmax.tn", "--dims", "inspect", "--policy", "all", "--without", "all", "--ledger", "l", "-o", "p.json"], stdout=open("out", "w"))' 'def tried():' '    try:' '        return sqlite3.connect("l").execute("SELECT count(*) FROM trial").fetchone()[0]' '    except sqlite3.Error:' '        return 0' 'while p.poll() is None and tried() == 0:' '    time.sleep(0.05)' 'p.send_signal(signal.SIGINT)' 'sys.exit(p.wait())' >go.py
$ "$PYTHON" go.py; echo $?; cat out
0
softmax_rows   M=8 K=16   cpu:<any>
search   all, stopped: <n> tried of <n> variants in <time>
ledger   search 1: <n> considered = <any> left
chosen   <any>
plan     <hex>   <any>
$ tenon ledger --ledger l | sed -n 's/, began.*//p'; tenon ledger --ledger l --json | grep -o '"reason": "stop"' | sort -u
state     stopped
"reason": "stop"
$ tenon replay p.json --dims inspect --repeat 0 | grep -c '^check    y  pass'; "$ROOT/tests/search/audit" l | tail -1
1
1 searches, 0 checks failed
# it is not taken for done
$ tenon tune examples/softmax.tn --dims inspect --policy all --budget 1 --without all --ledger l 2>log | grep -o 'search 2:'
search 2:
