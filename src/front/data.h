/*
 * data: what the readers of tensor files share. Nothing here keeps a file
 * open while memory may run out: a failed big_alloc is told by NULL, and
 * errors are reported after the file is closed.
 */
#ifndef TENON_FRONT_DATA_H
#define TENON_FRONT_DATA_H

#include "front/front.h"

/* Opens a regular file and tells its size; false with an error reported. */
bool data_open(Ctx *ctx, const char *path, int *fd, uint64_t *size);
/* Reads exactly n bytes at an offset; false when they are not there. */
bool data_read(int fd, void *p, size_t n, uint64_t offset);
/* Reverses the bytes of each of n elements of `bytes` bytes. */
void data_swap(void *p, size_t n, int bytes);
/* Whether the bytes of a bool tensor are 0 and 1 only. */
bool data_bools(const void *p, size_t n);
/* `f16[2, 3]` in the scratch arena, for messages. */
const char *data_type(Ctx *ctx, const Tensor *t);

/* As npy_read and safetensors_read, without the data. */
bool npy_stat(Ctx *ctx, const char *path, DType want, Tensor *out);
bool safetensors_stat(Ctx *ctx, const char *path, const char *name,
		      Tensor *out);

#endif
