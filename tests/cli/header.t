# include/tenon.h is for C and for C++, and examples/device.c works.

== as C, with every warning
@ file t.c
#include "tenon.h"
int main(void)
{
	TenonTensor t = {TENON_F32, 0, {0}, {0}, 0, TENON_DEVICE};
	return t.place == TENON_HOST;
}
@ end
$ cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$ROOT/include" t.c

== as C++
? command -v c++ > /dev/null
@ file t.cc
#include "tenon.h"
int main()
{
	TenonTensor t = TenonTensor();
	return t.place == TENON_DEVICE;
}
@ end
$ c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$ROOT/include" t.cc

== the example of docs/gpu.md
$ "$ROOT/build/examples/device"
ten runs, judged good
$ "$ROOT/build/examples/device" nowhere
it failed
2> tenon: error: --target nowhere: not available in this version
2> <any>
=> 1

== on a device
? test -n "$TEST_SETUP" || tenon devices | grep -q "  opencl:0 "
$ "$ROOT/build/examples/device" opencl
ten runs, judged good
