# `tenon ledger`: searches, candidates, what was refuted, two plans.

== searches and candidates
? test -z "$TEST_SAN"
! tenon tune examples/softmax.tn --dims inspect --policy rule --without all --ledger l >log
! tenon tune examples/bias.tn --dims inspect --policy model --without all --pin contract.nr=32 --ledger l >log
$ tenon ledger --ledger l --all
search  program       dims           target<any>policy  seed  state     considered  time  plan          candidates
     2  bias          M=8 K=16 N=24  cpu:<any>  model      1  complete<any>  <hex>  chosen 1, refused <n>, left <n>
     1  softmax_rows  M=8 K=16       cpu:<any>  rule       1  complete<any>  <hex>  chosen 1, refused <n>, left <n>
$ tenon ledger --ledger l | head -12
search 2   bias   M=8 K=16 N=24   cpu:<any>
policy    model, seed 1<any>
state     complete, began <any> UTC, took <time>
plan      <hex>
program   <hex>
device    <any>
compiler  <any>
options   threads=<n> regime=warm contract.nr=32 without=all rule=<hex>
version   <any>
key       <hex>

variant <hex> (<any>), <any>
$ tenon ledger 1 --ledger l | sed -n '1p; /^considered/p; /left [0-9]/p' | head -3
search 1   softmax_rows   M=8 K=16   cpu:<any>
  left <n> (best predicted <real> us): policy
<lines>
# they add up
$ for i in 1 2; do tenon ledger $i --ledger l | sed -n 's/^considered \([0-9]*\) = /\1 /p' | awk '{ n = 0; for (i = 3; i <= NF; i += 3) n += $i; print n == $1 }'; done
1
1
$ tenon ledger 1 --ledger l --state chosen | sed -n '/^variant/,$p'
variant <hex> (as written), region 0
  order  region  realisation <any>
      0       0  rowreduce <any>  chosen <any>

considered <n> = chosen 1 + <any>
$ tenon ledger 1 --ledger l --state crashed | sed -n '/^no such/p'
no such candidates
$ tenon ledger --ledger l --all --program bias | tail -n +2 | cut -c 1-12
     2  bias
$ tenon ledger --ledger l --json | grep -c '"adds_up": true'
1
$ tenon ledger 1 --ledger l --state refused | awk '/ refused / { n++ } END { print (n > 0) }'
1

== what is asked for is not there
@ file a.tn
def f(x: f32[M]):
    return x * 2 + 1
dims inspect: M = 8
@ end
! tenon tune a.tn --dims inspect --policy rule --ledger l >log
$ tenon ledger 77 --ledger l
2> tenon: error: the ledger l has no search 77
2> hint: `tenon ledger --all` lists those there are
=> 2
$ for n in x 0 -1 1x; do tenon ledger --ledger l -- $n 2>&1 | head -1; done
tenon: error: x is no number of a search
tenon: error: 0 is no number of a search
tenon: error: -1 is no number of a search
tenon: error: 1x is no number of a search
$ tenon ledger x --ledger l
2> tenon: error: x is no number of a search
2> hint: --all lists them
=> 2
$ tenon ledger --ledger l --program nobody
2> tenon: error: the ledger l has no search of nobody
2> hint: `tenon ledger --all` lists those there are
=> 2
$ tenon ledger --ledger l --state fine
2> tenon: error: candidates have no state `fine`
2> hint: states are left, refused, failed, wrong, crashed, timed-out, no-memory, measured, tie, chosen
=> 2

== no ledger
@ file a.tn
def f(x: f32[M]):
    return x * 2 + 1
dims inspect: M = 8
@ end
! echo text >text; "$PYTHON" -c 'import sqlite3; sqlite3.connect("other").execute("CREATE TABLE x (y)")'
$ tenon ledger --ledger text
2> tenon: error: text is not a ledger: it is no SQLite database
2> hint: move it away, and Tenon makes a new one
=> 3
$ tenon ledger --ledger other
2> tenon: error: other is a database, but not a ledger of Tenon
2> hint: move it away, and Tenon makes a new one
=> 3
# to look for one is not to make it
$ tenon ledger --ledger nothing; ls nothing
2> tenon: error: cannot open the ledger nothing: it is not there
2> ls: cannot access 'nothing': No such file or directory
=> 2
$ : >empty; tenon ledger --ledger empty
no searches in empty
# one of an older version is brought up, and nothing in it is lost
! tenon tune a.tn --dims inspect --policy rule --ledger l >log; printf '%s\n' 'import sqlite3' 'db = sqlite3.connect("l")' 'for sql in ("DROP TABLE trial", "DROP TABLE final_sample", "DROP TABLE final", "DROP TABLE space", "ALTER TABLE candidate DROP COLUMN trial", "PRAGMA user_version = 1"):' '    db.execute(sql)' >old.py; tenon ledger --ledger l >before; "$PYTHON" old.py
$ tenon ledger --ledger l >after; cmp before after; tenon tune a.tn --dims inspect --policy rule --ledger l | grep -c 'nothing to do'
1

== two plans
@ file a.tn
def f(x: f32[M]):
    return x * 2 + 1
dims inspect: M = 8
@ end
! tenon tune a.tn --dims inspect --policy rule --ledger l >log; tenon tune a.tn --dims inspect --policy rule --pin loop.block=4096 --ledger l >log2
$ a=$(grep ^plan log | cut -c 10-21); b=$(grep ^plan log2 | cut -c 10-21); tenon ledger --ledger l --compare $a,$b | grep -e 'block=4096' | head -1
<any>loop <any>block=4096<any>
$ a=$(grep ^plan log | cut -c 10-21); tenon ledger --ledger l --compare $a,$a
<lines>
$ a=$(grep ^plan log | cut -c 10-21); tenon ledger --ledger l --compare $a,0123456789ab 2>&1 | sed "s/$a/A/g"
tenon: error: <any>0123456789ab<any>
<lines>
$ tenon ledger --ledger l --compare xyz,abc
2> tenon: error: `xyz` is no identity of a plan
2> hint: plans are named by the first digits of their identity, four or more
=> 2
$ for c in ab , ab, ,ab; do tenon ledger --ledger l --compare $c 2>&1 || echo $?; done
tenon: error: --compare: ab is not two plans, A,B
2
tenon: error: --compare: , is not two plans, A,B
2
tenon: error: --compare: ab, is not two plans, A,B
2
tenon: error: --compare: ,ab is not two plans, A,B
2

== what was refuted
@ file a.tn
def f(x: f32[M]):
    return x * 2 + 1
dims inspect: M = 8
@ end
! tenon tune a.tn --dims inspect --policy rule --ledger l >log
$ tenon ledger --ledger l --refuted
search 1   f   M=8   cpu:<any>
chosen     1: loop <any>
           predicted <real> us, measured - us

<lines>
# a wrong one that was faster: made by hand
! printf '%s\n' 'import sqlite3' 'db = sqlite3.connect("l")' 'db.execute("UPDATE candidate SET state = ?, reason = ?, measured_us = 0.5 WHERE id = (SELECT min(id) FROM candidate WHERE state = ?)", ("wrong", "fixture search (seed 1, 0): element 3 of y is 1, and 2 to 2 is legal", "left"))' 'db.execute("UPDATE candidate SET measured_us = 1 WHERE state = ?", ("chosen",))' 'db.commit()' >edit.py; "$PYTHON" edit.py
$ tenon ledger --ledger l --refuted | grep -c 'element 3 of y is 1'
1
