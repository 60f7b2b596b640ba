/*
 * kernel: the names of stage 4's enumerations.
 *
 * kernel_verify.c has its laws, kernel_text.c and kernel_parse.c its text
 * form.
 */
#include "ir/kernel.h"

const char *const buf_scope_name[SCOPE_COUNT] = {
	[SCOPE_IN] = "in",         [SCOPE_OUT] = "out",
	[SCOPE_SHARED] = "shared", [SCOPE_WORKER] = "worker",
	[SCOPE_REG] = "reg",
};

const char *const loop_map_name[MAP_COUNT] = {
	[MAP_SERIAL] = "serial",
	[MAP_UNROLL] = "unroll",
	[MAP_VECTOR] = "vector",
	[MAP_VUNROLL] = "vunroll",
};
