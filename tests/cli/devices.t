# What `tenon devices` prints.

== targets, compilers, libraries
# Libraries that are looked for may leak when they are closed again.
$ ASAN_OPTIONS=detect_leaks=0 tenon devices
<lines>
* cpu <any>
<lines>
  opencl    opencl:0 <any> MiB, <any> compute units, <any>fp64<any>, OpenCL <any>
<lines>
* compiler  <any>
<lines>
<any> library   libcuda.so.1 <any>CUDA driver<any>
<any> library   libnvrtc<any>NVRTC<any>found<any>
<any> library   libcublasLt<any>cuBLASLt<any>found<any>
  library   libOpenCL.so.1 <any>OpenCL loader, <any> platform<any>, found (<any>)
<lines>
  library <any>
<lines>

* used by default   - not here

== no platform of OpenCL
$ OCL_ICD_VENDORS=$HOME ASAN_OPTIONS=detect_leaks=0 tenon devices | grep OpenCL
- library   libOpenCL.so.1 <any>OpenCL loader, found (<any>): the OpenCL loader is here, but no platform
