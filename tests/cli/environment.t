# The environment fails: exit 3, and what is missing is named.

== no compiler on PATH
! ln -s "$TENON" tenon
$ PATH=/nowhere ./tenon run examples/bias.tn --dims inspect --cache ""
2> tenon: error: no C compiler found: looked for cc, gcc, clang in /nowhere
2> hint: install one, for example with: apt-get install gcc
=> 3
$ tenon run examples/bias.tn --dims inspect --cache "" --cc nothing
2> tenon: error: no C compiler found: looked for nothing in <any>
2> hint: install one, for example with: apt-get install gcc
=> 3

== no compiler is needed to emit
! ln -s "$TENON" tenon
$ PATH=/nowhere ./tenon run examples/bias.tn --emit-only
bias   M=1024 K=768 N=1024   cpu:<any>
emitted  1 kernel; nothing was compiled or run; --dump=sources prints the code

== a compiler that is none
$ tenon run examples/bias.tn --dims inspect --cache "" --cc false
2> tenon: error: the C compiler <any>false does not answer --version
=> 3

== a cache folder that cannot be made or written
$ tenon run examples/bias.tn --dims inspect --cache /dev/null/cache
2> tenon: error: cannot make the folder /dev/null/cache: Not a directory
=> 3
$ HOME= XDG_CACHE_HOME= tenon run examples/bias.tn --dims inspect --repeat 0
2> tenon: error: <any>
2> hint: <any>
=> 3

== a cache folder without permission
# Root may write anywhere, so another user is needed who can run this build.
? test "$(id -u)" = 0 && chmod 755 . && mkdir -m 755 cache && setpriv --reuid 65534 --clear-groups "$TENON" --version
$ setpriv --reuid 65534 --clear-groups tenon run examples/bias.tn --dims inspect --cache cache
2> tenon: error: <any>Permission denied
2> hint: <any>
=> 3

== a full disk while compiling
# A limit on the size of files stands for a disk that is full.
$ trap '' XFSZ; ulimit -f 8; tenon run examples/bias.tn --dims inspect --cache full
2> tenon: error: <any>
2> <lines>
=> 3
$ tenon run examples/bias.tn --dims inspect --cache full --repeat 0 | grep check
check    y  pass

== a disk that is really full
? mkdir disk && mount -t tmpfs -o size=16k tmpfs disk
$ tenon run examples/bias.tn --dims inspect --cache disk/cache
2> tenon: error: <any>
2> <lines>
=> 3
$ umount disk

== memory refused
? test "$(basename "$(dirname "$TENON")")" != san
$ ulimit -v 400000; tenon run examples/bias.tn --dim M=400000 --dim N=1024 --dim K=16 --repeat 0
2> tenon: error: out of memory<any>
=> 3

== a damaged cache is compiled anew
$ tenon run examples/bias.tn --dims inspect --cache cache --no-check --repeat 0 | grep -o "from the cache"
=> 1
$ find cache -name '*.so' | sed 's/.*[.]/at least one /' | sort -u
at least one so
$ find cache -name '*.so' -exec sh -c 'printf x | dd of={} bs=1 seek=5000 conv=notrunc' \; 2> log
$ tenon run examples/bias.tn --dims inspect --cache cache --repeat 0 | grep -e compile -e check
compile  <time>   program <time>, plan <time>, code <time> by <any>
check    y  pass

== two processes share a cache
$ for i in 1 2 3 4; do tenon run examples/relu.tn --dims inspect --cache cache --repeat 0 > $i & done; wait; grep -h check 1 2 3 4
check    y  pass
check    y  pass
check    y  pass
check    y  pass

== standard output that cannot be written
$ tenon run examples/bias.tn --dims inspect --repeat 0 > /dev/full
2> tenon: error: cannot write to standard output: No space left on device
=> 3
$ tenon explain examples/bias.tn > /dev/full
2> tenon: error: cannot write to standard output: No space left on device
=> 3
$ tenon check examples/bias.tn --dims inspect --json > /dev/full
2> tenon: error: cannot write to standard output: No space left on device
=> 3

== a reader that goes away
$ (sleep 0.3; tenon explain examples/bias.tn; echo $? > code) | true; cat code
3
