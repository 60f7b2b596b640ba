# What `tenon devices` prints.

== targets, compilers, libraries
$ tenon devices
<lines>
* cpu <any>
<lines>
* compiler  <any>
<lines>
  library <any>
<lines>

* used by default   - not here
