/*
 * device_own: what a device is, between device.c and device_run.c.
 */
#ifndef TENON_DEVICE_OWN_H
#define TENON_DEVICE_OWN_H

#include "runtime/cublaslt.h"
#include "runtime/cuda_wait.h"
#include "runtime/device.h"
#include "runtime/opencl.h"

#include <pthread.h>

/* Memory of an OpenCL device that callers hold. */
typedef struct DeviceBlock DeviceBlock;
struct DeviceBlock {
	DeviceBlock *next;
	DeviceMem mem;
	size_t bytes;
};

struct Device {
	DeviceKind kind;
	int number;
	char name[300], arch[16];
	pthread_mutex_t lock;
	double limit;       /* seconds that a wait may take; 0: any */
	DeviceBlock *given; /* OpenCL: under the lock */
	/* CUDA */
	Cuda cuda;
	CudaDevice gpu;
	CudaStream stream;
	CudaWaiter waiter;
	volatile bool hangs; /* work was not done in time */
	CudaStream hung;     /* where it is queued */
	CublasLt lt;         /* once it is asked for */
	LtHandle lt_handle;
	/* OpenCL */
	Opencl opencl;
	OpenclDevice cl;
};

static inline OpenclMem cl_mem(DeviceMem m)
{
	return (OpenclMem)(uintptr_t)m;
}

/* The launch as CUDA takes it; false: the device does not. */
bool device_cuda_launch(Ctx *ctx, const DeviceLaunch *l, CudaLaunch *out);
bool device_opencl_launch(Ctx *ctx, Device *d, const DeviceLaunch *l);
/* False, reported, while something hangs on it. */
bool device_usable(Ctx *ctx, Device *d);
/* Waits as `p` says, under the device's limit. */
bool device_cuda_wait(Ctx *ctx, Device *d, const CudaPending *p);

#endif
