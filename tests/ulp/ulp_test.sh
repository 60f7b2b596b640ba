#!/bin/sh
# A sample of the arguments of every elementary function, in f32 and f64, on
# every instruction set that this machine or an emulator runs, each against
# its bound in op.def; and all numbers of lanes give the same bits.
# ulp_tool.c says how; it takes all arguments when run by hand.
set -u

tool=build/tests/ulp/ulp_tool
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
passed=0
failed=0
skipped=0

# judge NAME ARGUMENTS...
judge() {
	name=$1
	shift
	if "$tool" "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
		echo "ok   $name"
	else
		failed=$((failed + 1))
		echo "FAIL $name"
		cat "$log"
	fi
}
skip() {
	skipped=$((skipped + 1))
	echo "skip $1: $2"
}

for isa in avx512 avx2 base; do
	if build/tenon devices | grep -q "^[* ] cpu *cpu:$isa "; then
		judge "$isa f32" --isa $isa --count 200000
		judge "$isa f64" --isa $isa --count 100000 --dtype f64
	else
		skip $isa "not on this processor"
	fi
done

emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
	skip neon "no aarch64-linux-gnu-gcc"
elif [ -z "$emulator" ]; then
	skip neon "no qemu-aarch64"
else
	neon="$emulator -L /usr/aarch64-linux-gnu"
	judge "neon f32" --isa neon --cc aarch64-linux-gnu-gcc \
		--run "$neon" --count 60000
	judge "neon f64" --isa neon --cc aarch64-linux-gnu-gcc \
		--run "$neon" --count 60000 --dtype f64
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
