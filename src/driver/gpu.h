/*
 * gpu: what gpu.c and gpu_code.c share.
 */
#ifndef TENON_DRIVER_GPU_H
#define TENON_DRIVER_GPU_H

#include "driver/driver.h"

struct GpuPlan {
	Device *device;   /* the context's */
	DeviceCode *code; /* of the kernels that are not a library's */
	size_t ncode;
	size_t *code_of;       /* by launch */
	DeviceKernel *kernels; /* by launch */
	bool faults;           /* some value of the kernels may */
};

#endif
