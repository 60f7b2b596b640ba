/*
 * opencl: OpenCL, by dlopen of the loader of platforms (ICDs).
 *
 * Declarations and numbers are our own; they are the ABI that Khronos'
 * headers of OpenCL 1.0 to 3.0 share. The library is never closed. Results
 * are looked at after every call; of two errors the first is told. What a
 * failed function made is released before its error is reported, since
 * reporting may run out of memory and unwind.
 *
 * 64-bit atomics are an extension in every version: OpenCL C 3.0, too, has
 * atomic_long only with cl_khr_int64_base_atomics and
 * cl_khr_int64_extended_atomics (section 6.15.12, atomic types). So is f16;
 * a device with f64 tells cl_khr_fp64 even where it is optional core.
 *
 * A binary has a seal behind it, the SHA-256 of it and of who made it:
 * platforms trust bytes that look like theirs, and PoCL 3.1 ends the process
 * over a file that was cut short.
 *
 * CL_OUT_OF_RESOURCES is what allocation says when memory is out. On a queue
 * it means registers and the like, or, from some drivers, a kernel that left
 * its buffers; there it is no ERR_NOMEM.
 */
#include "runtime/opencl.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define LOG_LIMIT 4000 /* bytes of the compiler's log in an error */
#define SEAL      (SHA256_HEX - 1)

/* Results, by name: CL_ and what stands here. */
#define RESULTS(X)                                                             \
	X(SUCCESS, 0)                                                          \
	X(DEVICE_NOT_FOUND, -1)                                                \
	X(DEVICE_NOT_AVAILABLE, -2)                                            \
	X(COMPILER_NOT_AVAILABLE, -3)                                          \
	X(MEM_OBJECT_ALLOCATION_FAILURE, -4)                                   \
	X(OUT_OF_RESOURCES, -5)                                                \
	X(OUT_OF_HOST_MEMORY, -6)                                              \
	X(PROFILING_INFO_NOT_AVAILABLE, -7)                                    \
	X(MEM_COPY_OVERLAP, -8)                                                \
	X(BUILD_PROGRAM_FAILURE, -11)                                          \
	X(MAP_FAILURE, -12)                                                    \
	X(MISALIGNED_SUB_BUFFER_OFFSET, -13)                                   \
	X(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14)                      \
	X(COMPILE_PROGRAM_FAILURE, -15)                                        \
	X(LINKER_NOT_AVAILABLE, -16)                                           \
	X(LINK_PROGRAM_FAILURE, -17)                                           \
	X(KERNEL_ARG_INFO_NOT_AVAILABLE, -19)                                  \
	X(INVALID_VALUE, -30)                                                  \
	X(INVALID_DEVICE_TYPE, -31)                                            \
	X(INVALID_PLATFORM, -32)                                               \
	X(INVALID_DEVICE, -33)                                                 \
	X(INVALID_CONTEXT, -34)                                                \
	X(INVALID_QUEUE_PROPERTIES, -35)                                       \
	X(INVALID_COMMAND_QUEUE, -36)                                          \
	X(INVALID_HOST_PTR, -37)                                               \
	X(INVALID_MEM_OBJECT, -38)                                             \
	X(INVALID_BINARY, -42)                                                 \
	X(INVALID_BUILD_OPTIONS, -43)                                          \
	X(INVALID_PROGRAM, -44)                                                \
	X(INVALID_PROGRAM_EXECUTABLE, -45)                                     \
	X(INVALID_KERNEL_NAME, -46)                                            \
	X(INVALID_KERNEL_DEFINITION, -47)                                      \
	X(INVALID_KERNEL, -48)                                                 \
	X(INVALID_ARG_INDEX, -49)                                              \
	X(INVALID_ARG_VALUE, -50)                                              \
	X(INVALID_ARG_SIZE, -51)                                               \
	X(INVALID_KERNEL_ARGS, -52)                                            \
	X(INVALID_WORK_DIMENSION, -53)                                         \
	X(INVALID_WORK_GROUP_SIZE, -54)                                        \
	X(INVALID_WORK_ITEM_SIZE, -55)                                         \
	X(INVALID_GLOBAL_OFFSET, -56)                                          \
	X(INVALID_EVENT_WAIT_LIST, -57)                                        \
	X(INVALID_EVENT, -58)                                                  \
	X(INVALID_OPERATION, -59)                                              \
	X(INVALID_BUFFER_SIZE, -61)                                            \
	X(INVALID_GLOBAL_WORK_SIZE, -63)                                       \
	X(INVALID_PROPERTY, -64)                                               \
	X(PLATFORM_NOT_FOUND_KHR, -1001)

enum {
#define RESULT(name, number) name = number,
	RESULTS(RESULT)
#undef RESULT
};

/* cl_platform_info, cl_device_info */
enum {
	PLATFORM_VERSION = 0x0901,
	PLATFORM_NAME = 0x0902,
	DEVICE_COMPUTE_UNITS = 0x1002,
	DEVICE_WORK_GROUP = 0x1004,
	DEVICE_WORK_ITEMS = 0x1005,
	DEVICE_LARGEST = 0x1010,
	DEVICE_SINGLE = 0x101b,
	DEVICE_MEMORY = 0x101f,
	DEVICE_LOCAL = 0x1023,
	DEVICE_AVAILABLE = 0x1027,
	DEVICE_COMPILES = 0x1028,
	DEVICE_NAME = 0x102b,
	DEVICE_DRIVER = 0x102d,
	DEVICE_VERSION = 0x102f,
	DEVICE_EXTENSIONS = 0x1030,
	DEVICE_SUBGROUPS = 0x105c, /* from 2.1 on: most of a work-group */
	DEVICE_MULTIPLE = 0x1067,  /* from 3.0 on */
};

/* cl_device_fp_config */
enum {
	SINGLE_SUBNORMALS = 1 << 0,
	SINGLE_INFINITIES = 1 << 1, /* and NaN */
	SINGLE_TO_NEAREST = 1 << 2,
	SINGLE_DIVIDES = 1 << 7,
};

/* cl_context_properties, cl_mem_flags, cl_program_build_info, cl_program_info,
 * cl_kernel_work_group_info */
enum {
	CONTEXT_PLATFORM = 0x1084,
	MEM_READ_WRITE = 1 << 0,
	BUILD_LOG = 0x1183,
	PROGRAM_BINARY_SIZES = 0x1165,
	PROGRAM_BINARIES = 0x1166,
	KERNEL_WORK_GROUP = 0x11b0,
	KERNEL_LOCAL = 0x11b2,
	KERNEL_MULTIPLE = 0x11b3,
};
#define DEVICE_TYPE_ALL UINT64_C(0xffffffff)

/* ---- errors ---------------------------------------------------------- */

static const char *name_of(int result)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
#define RESULT(name, number) {number, "CL_" #name},
		RESULTS(RESULT)
#undef RESULT
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i].number == result)
			return names[i].name;
	}
	return "an error without a name";
}

static const char *hint_of(int result)
{
	switch (result) {
	case PLATFORM_NOT_FOUND_KHR:
		return "install a platform: a GPU's driver has one, and PoCL "
		       "(Debian's pocl-opencl-icd) runs on any CPU; the loader "
		       "looks for .icd files in /etc/OpenCL/vendors, or where "
		       "OCL_ICD_VENDORS says";
	case DEVICE_NOT_FOUND:
		return "see whether the driver has started and this user may "
		       "use the device (groups render and video)";
	case OUT_OF_RESOURCES:
		return "a kernel wanted more registers or local memory than "
		       "there are, or used memory that is not its own";
	default:
		return NULL;
	}
}

static bool is_nomem(int result)
{
	return result == MEM_OBJECT_ALLOCATION_FAILURE ||
	       result == OUT_OF_HOST_MEMORY;
}

/* True on success, else reports "CALL failed WHERE: NAME (number)". */
static bool succeeded(Ctx *ctx, int result, const char *call, const char *where)
{
	if (result == SUCCESS)
		return true;
	return diag_fail(ctx, is_nomem(result) ? ERR_NOMEM : ERR_ENV,
			 hint_of(result), "%s failed%s%s: %s (%d)", call,
			 *where ? " on " : "", where, name_of(result), result);
}

/* ---- the library ----------------------------------------------------- */

static bool library_missing(Ctx *ctx, const char *library)
{
	const char *why = dlerror();
	return diag_fail(ctx, ERR_ENV,
			 "install an OpenCL loader (Debian's "
			 "ocl-icd-libopencl1) and a platform: a GPU's driver "
			 "has one, and PoCL (pocl-opencl-icd) runs on any CPU",
			 "the OpenCL loader is not found: %s",
			 why ? why : library);
}

static bool library_bind(Ctx *ctx, void *library, Opencl *out)
{
	struct link_map *map = NULL;

	if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
		snprintf(out->path, sizeof(out->path), "%s", map->l_name);
#define BIND(result, name, parameters)                                         \
	out->name = __extension__(result(*) parameters) dlsym(library, #name); \
	if (!out->name)                                                        \
		return diag_fail(ctx, ERR_ENV,                                 \
				 "install another one (Debian's "              \
				 "ocl-icd-libopencl1)",                        \
				 "%s is no OpenCL loader: it has no %s",       \
				 out->path, #name);
	OPENCL_ENTRIES(BIND)
#undef BIND
	return true;
}

/*
 * Adds a platform and its devices. One that fails is no error: it must not
 * hide the others.
 */
static void platform_add(Opencl *c, OpenclPlatformId id)
{
	OpenclDeviceId ids[OPENCL_DEVICES];
	OpenclPlatform *p = &c->platforms[c->platform_count];
	unsigned n = 0;
	int result;

	p->id = id;
	if (c->clGetPlatformInfo(id, PLATFORM_NAME, sizeof(p->name), p->name,
				 NULL) != SUCCESS)
		snprintf(p->name, sizeof(p->name), "a platform without a name");
	if (c->clGetPlatformInfo(id, PLATFORM_VERSION, sizeof(p->version),
				 p->version, NULL) != SUCCESS)
		snprintf(p->version, sizeof(p->version), "unknown version");
	result =
		c->clGetDeviceIDs(id, DEVICE_TYPE_ALL, OPENCL_DEVICES, ids, &n);
	if (result == DEVICE_NOT_FOUND || (result == SUCCESS && n == 0))
		snprintf(p->why, sizeof(p->why), "it has no device");
	else if (result != SUCCESS)
		snprintf(p->why, sizeof(p->why),
			 "clGetDeviceIDs failed: %s (%d)", name_of(result),
			 result);
	for (unsigned i = 0; result == SUCCESS && i < n && i < OPENCL_DEVICES &&
			     c->devices < OPENCL_DEVICES;
	     i++) {
		c->device[c->devices].platform = c->platform_count;
		c->device[c->devices++].id = ids[i];
		p->devices++;
	}
	c->platform_count++;
}

static bool platforms_list(Ctx *ctx, Opencl *c)
{
	OpenclPlatformId ids[OPENCL_PLATFORMS];
	unsigned n = 0;
	int result = c->clGetPlatformIDs(OPENCL_PLATFORMS, ids, &n);

	if (result == PLATFORM_NOT_FOUND_KHR || (result == SUCCESS && n == 0))
		return diag_fail(ctx, ERR_ENV, hint_of(PLATFORM_NOT_FOUND_KHR),
				 "the OpenCL loader is here, but no platform");
	if (!succeeded(ctx, result, "clGetPlatformIDs", ""))
		return false;
	for (unsigned i = 0; i < n && i < OPENCL_PLATFORMS; i++)
		platform_add(c, ids[i]);
	return true;
}

bool opencl_open(Ctx *ctx, const char *library, Opencl *out)
{
	void *handle;

	memset(out, 0, sizeof(*out));
	library = library ? library : "libOpenCL.so.1";
	handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return library_missing(ctx, library);
	if (!library_bind(ctx, handle, out) || !platforms_list(ctx, out))
		return false;
	if (out->devices > 0)
		return true;
	return diag_fail(ctx, ERR_ENV, hint_of(DEVICE_NOT_FOUND),
			 "there is no OpenCL device; of %d platform%s, the "
			 "first is %s: %s",
			 out->platform_count,
			 out->platform_count == 1 ? "" : "s",
			 out->platforms[0].name, out->platforms[0].why);
}

/* ---- devices --------------------------------------------------------- */

static bool device_exists(Ctx *ctx, const Opencl *c, int n)
{
	if (n >= 0 && n < c->devices)
		return true;
	return diag_fail(ctx, ERR_ENV, NULL,
			 "there is no OpenCL device %d: devices are numbered "
			 "from 0, and there %s %d",
			 n, c->devices == 1 ? "is" : "are", c->devices);
}

/* A text of any length; NULL when it is not told, which is reported. */
static char *device_text(Ctx *ctx, const Opencl *c, OpenclDeviceId id,
			 unsigned what, const char *where)
{
	size_t size = 0;
	char *text;
	int result = c->clGetDeviceInfo(id, what, 0, NULL, &size);

	if (!succeeded(ctx, result, "clGetDeviceInfo", where))
		return NULL;
	text = arena_array(&ctx->scratch, char, size + 1);
	result = c->clGetDeviceInfo(id, what, size, text, NULL);
	return succeeded(ctx, result, "clGetDeviceInfo", where) ? text : NULL;
}

/* Whether the list, with spaces between, has the word. */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; *list; list += strcspn(list, " ")) {
		list += strspn(list, " ");
		if (strncmp(list, word, n) == 0 && strchr(" ", list[n]))
			return true;
	}
	return false;
}

static bool info_texts(Ctx *ctx, const Opencl *c, OpenclDeviceId id,
		       OpenclInfo *out)
{
	const struct {
		unsigned what;
		char *text;
		size_t size;
	} rows[] = {
		{DEVICE_NAME, out->name, sizeof(out->name)},
		{DEVICE_VERSION, out->version, sizeof(out->version)},
		{DEVICE_DRIVER, out->driver, sizeof(out->driver)},
	};
	const char *text;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		text = device_text(ctx, c, id, rows[i].what, out->name);
		if (!text)
			return false;
		snprintf(rows[i].text, rows[i].size, "%s", text);
	}
	text = device_text(ctx, c, id, DEVICE_EXTENSIONS, out->name);
	if (!text)
		return false;
	out->fp16 = has_word(text, "cl_khr_fp16");
	out->fp64 = has_word(text, "cl_khr_fp64");
	out->subgroups = has_word(text, "cl_khr_subgroups");
	out->atomics64 = has_word(text, "cl_khr_int64_extended_atomics");
	if (sscanf(out->version, "OpenCL %d.%d", &out->major, &out->minor) != 2)
		return diag_fail(ctx, ERR_ENV, "install another platform",
				 "%s does not tell its version of OpenCL, but "
				 "\"%s\"",
				 out->name, out->version);
	return true;
}

static bool info_numbers(Ctx *ctx, const Opencl *c, OpenclDeviceId id,
			 OpenclInfo *out)
{
	uint64_t single = 0;
	unsigned available = 0, compiles = 0, subgroups = 0;
	const struct {
		unsigned what;
		int since; /* version of OpenCL: 10 * major + minor */
		size_t size;
		void *value;
	} rows[] = {
		{DEVICE_COMPUTE_UNITS, 10, sizeof(unsigned),
		 &out->compute_units},
		{DEVICE_MEMORY, 10, sizeof(uint64_t), &out->memory},
		{DEVICE_LARGEST, 10, sizeof(uint64_t), &out->largest},
		{DEVICE_LOCAL, 10, sizeof(uint64_t), &out->local},
		{DEVICE_WORK_GROUP, 10, sizeof(size_t), &out->work_group},
		{DEVICE_WORK_ITEMS, 10, sizeof(out->work_items),
		 out->work_items},
		{DEVICE_SINGLE, 10, sizeof(single), &single},
		{DEVICE_AVAILABLE, 10, sizeof(unsigned), &available},
		{DEVICE_COMPILES, 10, sizeof(unsigned), &compiles},
		{DEVICE_SUBGROUPS, 21, sizeof(unsigned), &subgroups},
		{DEVICE_MULTIPLE, 30, sizeof(size_t), &out->multiple},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].since <= 10 * out->major + out->minor &&
		    !succeeded(ctx,
			       c->clGetDeviceInfo(id, rows[i].what,
						  rows[i].size, rows[i].value,
						  NULL),
			       "clGetDeviceInfo", out->name))
			return false;
	}
	out->available = available;
	out->compiles = compiles;
	out->subgroups |= subgroups > 0;
	out->subnormals = single & SINGLE_SUBNORMALS;
	out->divides = single & SINGLE_DIVIDES;
	out->ieee =
		(single & SINGLE_INFINITIES) && (single & SINGLE_TO_NEAREST);
	return true;
}

bool opencl_info(Ctx *ctx, const Opencl *c, int n, OpenclInfo *out)
{
	memset(out, 0, sizeof(*out));
	if (!device_exists(ctx, c, n))
		return false;
	out->platform = &c->platforms[c->device[n].platform];
	return info_texts(ctx, c, c->device[n].id, out) &&
	       info_numbers(ctx, c, c->device[n].id, out);
}

const char *opencl_unsuited(const OpenclInfo *info)
{
	const struct {
		bool good;
		const char *why;
	} rows[] = {
		{info->available, "is not available"},
		{info->compiles, "has no compiler"},
		{info->major > 1 || info->minor >= 2,
		 "has a version of OpenCL before 1.2"},
		{info->ieee, "does not round f32 to nearest with infinities "
			     "and NaN"},
		{info->subnormals, "flushes subnormals of f32"},
		{info->divides, "does not divide and take square roots of f32 "
				"with correct rounding"},
		{info->atomics64, "has no 64-bit atomics "
				  "(cl_khr_int64_extended_atomics)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!rows[i].good)
			return rows[i].why;
	}
	return NULL;
}

static bool device_unsuited(Ctx *ctx, int n, const OpenclInfo *info)
{
	return diag_fail(ctx, ERR_ENV,
			 "tenon devices shows what each lacks; PoCL (Debian's "
			 "pocl-opencl-icd) lacks nothing on any CPU",
			 "OpenCL device %d, %s, will not do: it %s", n,
			 info->name, opencl_unsuited(info));
}

bool opencl_find(Ctx *ctx, const Opencl *c, int *n)
{
	OpenclInfo info;

	for (*n = 0; *n < c->devices; ++*n) {
		if (!opencl_info(ctx, c, *n, &info))
			return false;
		if (!opencl_unsuited(&info))
			return true;
	}
	*n = 0;
	return opencl_info(ctx, c, 0, &info) && device_unsuited(ctx, 0, &info);
}

bool opencl_device_open(Ctx *ctx, const Opencl *c, int n, OpenclDevice *out)
{
	const char *call = "clCreateContext";
	int result;

	memset(out, 0, sizeof(*out));
	out->opencl = c;
	if (!opencl_info(ctx, c, n, &out->info))
		return false;
	out->id = c->device[n].id;
	if (opencl_unsuited(&out->info))
		return device_unsuited(ctx, n, &out->info);
	const intptr_t properties[] = {CONTEXT_PLATFORM,
				       (intptr_t)out->info.platform->id, 0};
	out->context = c->clCreateContext(properties, 1, &out->id, NULL, NULL,
					  &result);
	if (result == SUCCESS) {
		call = "clCreateCommandQueue";
		out->queue = c->clCreateCommandQueue(out->context, out->id, 0,
						     &result);
		if (result != SUCCESS)
			c->clReleaseContext(out->context);
	}
	if (result == SUCCESS)
		return true;
	out->context = NULL;
	return succeeded(ctx, result, call, out->info.name);
}

bool opencl_device_close(Ctx *ctx, OpenclDevice *d)
{
	int queue, context;

	if (!d->context)
		return true;
	queue = d->opencl->clReleaseCommandQueue(d->queue);
	context = d->opencl->clReleaseContext(d->context);
	d->queue = NULL;
	d->context = NULL;
	return succeeded(ctx, queue, "clReleaseCommandQueue", d->info.name) &&
	       succeeded(ctx, context, "clReleaseContext", d->info.name);
}

/* ---- programs -------------------------------------------------------- */

/*
 * Division and square root correctly rounded, for the contract; contraction
 * is put off by the sources themselves.
 */
static const char common_options[] = "-cl-fp32-correctly-rounded-divide-sqrt";

const char *opencl_options(Arena *a, const char *options)
{
	return options && *options
		       ? arena_printf(a, "%s %s", common_options, options)
		       : common_options;
}

/* "" where there is none. */
static const char *log_take(Ctx *ctx, const OpenclDevice *d, OpenclProgram p)
{
	size_t size = 0;
	char *log;

	if (d->opencl->clGetProgramBuildInfo(p, d->id, BUILD_LOG, 0, NULL,
					     &size) != SUCCESS)
		return "";
	log = arena_array(&ctx->scratch, char, size + 1);
	if (d->opencl->clGetProgramBuildInfo(p, d->id, BUILD_LOG, size, log,
					     NULL) != SUCCESS)
		return "";
	if (size > LOG_LIMIT)
		snprintf(log + LOG_LIMIT - 3, 4, "...");
	return log;
}

/* The error of a build, with its log. Releases the program. */
static bool build_failed(Ctx *ctx, const OpenclDevice *d, const char *name,
			 OpenclProgram p, int result)
{
	OomTrap trap;
	const char *log;

	if (OOM_TRAP(&trap)) {
		d->opencl->clReleaseProgram(p);
		oom_raise();
	}
	log = log_take(ctx, d, p);
	oom_trap_pop(&trap);
	d->opencl->clReleaseProgram(p);
	return diag_fail(ctx, is_nomem(result) ? ERR_NOMEM : ERR_ENV, NULL,
			 "clBuildProgram failed on kernel %s for %s: %s "
			 "(%d)%s%s",
			 name, d->info.name, name_of(result), result,
			 *log ? "\n" : "", log);
}

bool opencl_build(Ctx *ctx, const OpenclDevice *d, const char *name,
		  const char *text, const char *options, OpenclProgram *out)
{
	const Opencl *c = d->opencl;
	OpenclProgram p;
	int result;

	*out = NULL;
	options = opencl_options(&ctx->scratch, options);
	p = c->clCreateProgramWithSource(d->context, 1, &text, NULL, &result);
	if (!succeeded(ctx, result, "clCreateProgramWithSource", name))
		return false;
	result = c->clBuildProgram(p, 1, &d->id, options, NULL, NULL);
	if (result != SUCCESS)
		return build_failed(ctx, d, name, p, result);
	*out = p;
	return true;
}

/* Of a binary and of what made it. */
static void seal_make(Ctx *ctx, const OpenclDevice *d, const void *bytes,
		      size_t size, char seal[SHA256_HEX])
{
	const OpenclInfo *info = &d->info;
	const char *const makers[] = {info->platform->name,
				      info->platform->version, info->name,
				      info->version, info->driver};
	Sha256 *h = sha256_new(&ctx->scratch);

	for (size_t i = 0; i < ARRAY_LEN(makers); i++)
		sha256_add(h, makers[i], strlen(makers[i]) + 1);
	sha256_add(h, bytes, size);
	sha256_end(h, seal);
}

bool opencl_binary(Ctx *ctx, Arena *a, const OpenclDevice *d, OpenclProgram p,
		   void **bytes, size_t *size)
{
	const Opencl *c = d->opencl;
	char seal[SHA256_HEX];
	char *binary;
	size_t n = 0;

	*bytes = NULL;
	*size = 0;
	if (!succeeded(ctx,
		       c->clGetProgramInfo(p, PROGRAM_BINARY_SIZES, sizeof(n),
					   &n, NULL),
		       "clGetProgramInfo", d->info.name))
		return false;
	if (n == 0)
		return true;
	binary = arena_alloc(a, n + SEAL, 16);
	if (!succeeded(ctx,
		       c->clGetProgramInfo(p, PROGRAM_BINARIES, sizeof(binary),
					   &binary, NULL),
		       "clGetProgramInfo", d->info.name))
		return false;
	seal_make(ctx, d, binary, n, seal);
	memcpy(binary + n, seal, SEAL);
	*bytes = binary;
	*size = n + SEAL;
	return true;
}

static bool seal_holds(Ctx *ctx, const OpenclDevice *d, const char *bytes,
		       size_t size)
{
	char seal[SHA256_HEX];

	if (size <= SEAL)
		return false;
	seal_make(ctx, d, bytes, size - SEAL, seal);
	return memcmp(bytes + size - SEAL, seal, SEAL) == 0;
}

/* Whether this is about the bytes: what the source is compiled for anew. */
static bool is_refusal(int result)
{
	switch (result) {
	case INVALID_VALUE:
	case INVALID_BINARY:
	case INVALID_PROGRAM:
	case BUILD_PROGRAM_FAILURE:
	case LINK_PROGRAM_FAILURE:
	case INVALID_BUILD_OPTIONS:
	case COMPILER_NOT_AVAILABLE:
		return true;
	default:
		return false;
	}
}

bool opencl_load(Ctx *ctx, const OpenclDevice *d, const char *name,
		 const void *bytes, size_t size, const char *options,
		 OpenclProgram *out)
{
	const Opencl *c = d->opencl;
	const unsigned char *binary = bytes;
	const char *call = "clCreateProgramWithBinary";
	OpenclProgram p;
	int status = SUCCESS, result;

	*out = NULL;
	if (!seal_holds(ctx, d, bytes, size))
		return true;
	size -= SEAL;
	options = opencl_options(&ctx->scratch, options);
	p = c->clCreateProgramWithBinary(d->context, 1, &d->id, &size, &binary,
					 &status, &result);
	if (result == SUCCESS && status == SUCCESS) {
		call = "clBuildProgram";
		result = c->clBuildProgram(p, 1, &d->id, options, NULL, NULL);
	} else if (result == SUCCESS) {
		result = status;
	}
	if (result == SUCCESS) {
		*out = p;
		return true;
	}
	if (p)
		c->clReleaseProgram(p);
	return is_refusal(result) || succeeded(ctx, result, call, name);
}

bool opencl_program_free(Ctx *ctx, const OpenclDevice *d, OpenclProgram p)
{
	return !p || succeeded(ctx, d->opencl->clReleaseProgram(p),
			       "clReleaseProgram", d->info.name);
}

/* ---- kernels --------------------------------------------------------- */

bool opencl_kernel(Ctx *ctx, const OpenclDevice *d, OpenclProgram p,
		   const char *name, OpenclKernel *out)
{
	const struct {
		unsigned what;
		size_t size;
		void *value;
	} rows[] = {
		{KERNEL_WORK_GROUP, sizeof(size_t), &out->work_group},
		{KERNEL_MULTIPLE, sizeof(size_t), &out->multiple},
		{KERNEL_LOCAL, sizeof(uint64_t), &out->local},
	};
	const Opencl *c = d->opencl;
	const char *call = "clCreateKernel";
	int result;

	memset(out, 0, sizeof(*out));
	out->name = name;
	out->id = c->clCreateKernel(p, name, &result);
	for (size_t i = 0; result == SUCCESS && i < ARRAY_LEN(rows); i++) {
		call = "clGetKernelWorkGroupInfo";
		result = c->clGetKernelWorkGroupInfo(out->id, d->id,
						     rows[i].what, rows[i].size,
						     rows[i].value, NULL);
	}
	if (result == SUCCESS)
		return true;
	if (out->id)
		c->clReleaseKernel(out->id);
	out->id = NULL;
	return succeeded(ctx, result, call, name);
}

bool opencl_kernel_free(Ctx *ctx, const OpenclDevice *d, OpenclKernel *k)
{
	OpenclKernelId id = k->id;

	k->id = NULL;
	return !id || succeeded(ctx, d->opencl->clReleaseKernel(id),
				"clReleaseKernel", k->name);
}

/* ---- memory ---------------------------------------------------------- */

bool opencl_alloc(Ctx *ctx, const OpenclDevice *d, size_t size, OpenclMem *out)
{
	int result = INVALID_BUFFER_SIZE;

	*out = NULL;
	if (size == 0)
		return true;
	if (size <= d->info.largest)
		*out = d->opencl->clCreateBuffer(d->context, MEM_READ_WRITE,
						 size, NULL, &result);
	if (!is_nomem(result) && result != OUT_OF_RESOURCES &&
	    result != INVALID_BUFFER_SIZE)
		return succeeded(ctx, result, "clCreateBuffer", d->info.name);
	*out = NULL;
	return diag_fail(ctx, ERR_NOMEM, "other processes may hold some, too",
			 "out of device memory: %zu bytes were refused on %s, "
			 "which has %zu, at most %zu in one buffer",
			 size, d->info.name, (size_t)d->info.memory,
			 (size_t)d->info.largest);
}

bool opencl_free(Ctx *ctx, const OpenclDevice *d, OpenclMem m)
{
	return !m || succeeded(ctx, d->opencl->clReleaseMemObject(m),
			       "clReleaseMemObject", d->info.name);
}

bool opencl_copy_in(Ctx *ctx, const OpenclDevice *d, OpenclMem to, size_t at,
		    const void *from, size_t size)
{
	return size == 0 || succeeded(ctx,
				      d->opencl->clEnqueueWriteBuffer(
					      d->queue, to, 0, at, size, from,
					      0, NULL, NULL),
				      "clEnqueueWriteBuffer", d->info.name);
}

bool opencl_copy_out(Ctx *ctx, const OpenclDevice *d, void *to, OpenclMem from,
		     size_t at, size_t size)
{
	return size == 0 || succeeded(ctx,
				      d->opencl->clEnqueueReadBuffer(
					      d->queue, from, 0, at, size, to,
					      0, NULL, NULL),
				      "clEnqueueReadBuffer", d->info.name);
}

bool opencl_copy_over(Ctx *ctx, const OpenclDevice *d, OpenclMem to,
		      OpenclMem from, size_t size)
{
	return size == 0 ||
	       succeeded(ctx,
			 d->opencl->clEnqueueCopyBuffer(d->queue, from, to, 0,
							0, size, 0, NULL, NULL),
			 "clEnqueueCopyBuffer", d->info.name);
}

bool opencl_finish(Ctx *ctx, const OpenclDevice *d)
{
	return succeeded(ctx, d->opencl->clFinish(d->queue), "clFinish",
			 d->info.name);
}

/* ---- launches -------------------------------------------------------- */

/*
 * What the device cannot do is told here, since CL's error for it has no
 * numbers; ranges that are no whole groups are an error on every version.
 */
static bool sizes_fit(Ctx *ctx, const OpenclDevice *d, const OpenclLaunch *l)
{
	const OpenclKernel *k = l->kernel;
	uint64_t local = k->local;
	size_t items = 1;
	bool ok = true;

	for (int i = 0; i < 3; i++) {
		if (l->local[i] == 0 || l->global[i] % l->local[i] != 0)
			return diag_fail(ctx, ERR_ENV, NULL,
					 "kernel %s has %zu work-items along "
					 "axis %d, which are not groups of %zu",
					 k->name, l->global[i], i, l->local[i]);
		ok &= l->local[i] <= d->info.work_items[i];
		ok &= l->local[i] <= k->work_group / items;
		items *= ok ? l->local[i] : 1;
	}
	if (!ok)
		return diag_fail(ctx, ERR_ENV, NULL,
				 "kernel %s wants groups of %zu x %zu x %zu "
				 "work-items; on %s it can have %zu, and at "
				 "most %zu x %zu x %zu",
				 k->name, l->local[0], l->local[1], l->local[2],
				 d->info.name, k->work_group,
				 d->info.work_items[0], d->info.work_items[1],
				 d->info.work_items[2]);
	for (unsigned i = 0; i < l->count; i++)
		local += l->args[i].value ? 0 : l->args[i].size;
	if (local > d->info.local)
		return diag_fail(ctx, ERR_ENV, NULL,
				 "kernel %s wants %zu bytes of local memory; a "
				 "group of %s has %zu",
				 k->name, (size_t)local, d->info.name,
				 (size_t)d->info.local);
	return true;
}

bool opencl_launch(Ctx *ctx, const OpenclDevice *d, const OpenclLaunch *l)
{
	const Opencl *c = d->opencl;
	const OpenclKernel *k = l->kernel;

	for (int i = 0; i < 3; i++) {
		if (l->global[i] == 0)
			return true;
	}
	if (!sizes_fit(ctx, d, l))
		return false;
	for (unsigned i = 0; i < l->count; i++) {
		int result = c->clSetKernelArg(k->id, i, l->args[i].size,
					       l->args[i].value);
		if (result != SUCCESS)
			return succeeded(ctx, result, "clSetKernelArg",
					 arena_printf(&ctx->scratch,
						      "%s, argument %u",
						      k->name, i));
	}
	return succeeded(ctx,
			 c->clEnqueueNDRangeKernel(d->queue, k->id, 3, NULL,
						   l->global, l->local, 0, NULL,
						   NULL),
			 "clEnqueueNDRangeKernel", k->name);
}
