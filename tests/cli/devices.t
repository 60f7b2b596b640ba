# What `tenon devices` prints.

== targets, compilers, libraries
# Libraries that are looked for may leak when they are closed again.
$ ASAN_OPTIONS=detect_leaks=0 tenon devices
<lines>
* cpu <any>
<lines>
* compiler  <any>
<lines>
<any> library   libcuda.so.1 <any>CUDA driver<any>
<any> library   libnvrtc<any>NVRTC<any>found<any>
<lines>
  library <any>
<lines>

* used by default   - not here
