# Memory and disk that run out anywhere: an error and exit 3, or success.

== any limit on memory
# Address space from too little to load the program (the system's loader
# exits with 127) to enough to compile, with nothing compiled and with all.
? test -z "$TEST_SAN"
$ for k in 8 9 10 12 16 24 32 48 96 256; do (ulimit -v $((k * 1024)); tenon run examples/two_layer.tn --dims inspect --repeat 0 --no-check --cache cold$k --threads 2 > out 2> err; c=$?; case $c in 0|3|127) ;; *) echo "$k MiB: exit $c"; cat err;; esac; test $c != 3 || grep -q "^tenon: error: " err || cat err); done
! tenon check examples/bias.tn --dims screen --families exact,search > log
$ for k in 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 24 32; do (ulimit -v $((k * 1024)); tenon check examples/bias.tn --dims screen --families exact,search --threads 2 > out 2> err; c=$?; case $c in 0|127) ;; 3) grep -q "^tenon: error: out of memory" err || cat err;; *) echo "$k MiB: exit $c"; cat err;; esac); done

== any size of disk
? test "$(id -u)" = 0 && mkdir disk && mount -t tmpfs -o size=4k tmpfs disk && umount disk
$ for k in 4 8 16 32 48 64 96 128 192; do mount -t tmpfs -o size=${k}k tmpfs disk; tenon run examples/relu.tn --dims inspect --repeat 0 --no-check --cache disk/c > out 2> err; c=$?; case $c in 0) ;; 3) grep -q "the disk is full\|No space left" err || cat err;; *) echo "$k KiB: exit $c"; cat err;; esac; ls disk/c/code 2> log | grep tmp; umount disk; done

== no room for results
# Each step takes its disk away again, also when it fails.
? test "$(id -u)" = 0 && mkdir disk && mount -t tmpfs -o size=8k tmpfs disk && umount disk
$ mount -t tmpfs -o size=8k tmpfs disk; tenon run examples/relu.tn --dims screen --repeat 0 --no-check -o disk > log; c=$?; ls disk; umount disk; exit $c
2> tenon: error: cannot write disk/y.npy: the disk is full
=> 3
$ mount -t tmpfs -o size=8k tmpfs disk; tenon run examples/relu.tn --dims screen --repeat 0 --no-check --save-plan disk/plan.json > log; c=$?; ls disk; umount disk; exit $c
2> tenon: error: cannot write disk/plan.json: the disk is full
=> 3

== a cache that is a file, or whose folders are
$ echo > cache; tenon run examples/relu.tn --dims inspect --cache cache
2> tenon: error: cannot make the folder cache: <any>
=> 3
! mkdir c2; echo > c2/code
$ tenon run examples/relu.tn --dims inspect --cache c2
2> tenon: error: cannot write in the cache folder c2/code: <any>
2> hint: set XDG_CACHE_HOME to a folder that can be written
=> 3
