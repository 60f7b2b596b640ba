/*
 * parsers: damaged text and bytes into everything that reads some.
 *
 * usage: parsers_fuzz [--seconds N] [--seed N] [FILE...]
 *
 * Each round takes a sound input (the examples and the programs of corpus/,
 * the texts of their stages, a plan, small tensor files), damages it in a
 * few places, and gives it to its reader and to the passes behind. Nothing may
 * crash, leak, meet a report of the sanitizers, abort by bug(), or take longer
 * than a few seconds. Rounds follow from the seed.
 *
 * The rounds run in a child, whose input at hand lies in shared memory: when
 * it dies, the parent writes that input to a file and says how to give it
 * again. Inputs that once failed are kept in tests/fuzz/corpus/ and are run
 * first. A FILE is run alone; the end of its name tells its reader.
 */
#include "front/data.h"
#include "front/front.h"
#include "tenon.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define INPUT_LIMIT   (64 << 10)
#define INPUT_SECONDS 20 /* more is a hang, in the slowest build */

/* ---- random numbers -------------------------------------------------- */

static uint64_t random_state;

/* splitmix64 */
static uint64_t random_next(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static size_t below(size_t n)
{
	return n ? (size_t)(random_next() % n) : 0;
}

/* ---- inputs ---------------------------------------------------------- */

typedef struct Input {
	uint32_t reader;
	size_t n;
	char p[INPUT_LIMIT + 1];
} Input;

/* What parent and child share. */
typedef struct Shared {
	double began; /* the input at hand; 0: none */
	uint64_t rounds;
	Input input;
} Shared;

static Shared *shared;
static char folder[200];

static const char *at_folder(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void file_put(const char *path, const char *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(p, 1, n, f) != n || fclose(f)) {
		perror(path);
		exit(2);
	}
}

/* ---- readers --------------------------------------------------------- */

static TenonContext *context(void)
{
	TenonContext *c = tenon_context_new();

	if (!c)
		exit(2);
	tenon_set_threads(c, 1);
	return c;
}

static const TenonPlanOptions emit = {.target = "cpu:avx2", .emit_only = true};

static void read_tn(const Input *in)
{
	TenonContext *c = context();
	TenonProgram *p;
	TenonPlan *plan;

	if (!tenon_program_from_text(c, "fuzz.tn", in->p, NULL, &p) &&
	    below(4) == 0 && !tenon_compile(c, p, &emit, &plan))
		tenon_plan_free(plan);
	tenon_program_free(p);
	tenon_context_free(c);
}

static void read_stage(const Input *in, const char *stage)
{
	TenonContext *c = context();
	TenonProgram *p;
	TenonPlan *plan;
	const char *path = at_folder("stage");

	file_put(path, in->p, in->n);
	if (!tenon_resume(c, stage, path, &emit, &p, &plan)) {
		tenon_plan_free(plan);
		tenon_program_free(p);
	}
	tenon_context_free(c);
}

static void read_program(const Input *in)
{
	read_stage(in, "program");
}

static void read_rewritten(const Input *in)
{
	read_stage(in, "rewritten");
}

static void read_regions(const Input *in)
{
	read_stage(in, "regions");
}

static void read_kernels(const Input *in)
{
	read_stage(in, "kernels");
}

static void read_plan(const Input *in)
{
	TenonContext *c = context();
	TenonProgram *p;
	TenonPlan *plan;
	const char *path = at_folder("plan.json");

	/* a sound plan never gets here: it would be compiled */
	file_put(path, in->p, in->n);
	tenon_set_compiler(c, "/nowhere/cc");
	tenon_set_cache(c, folder);
	if (!tenon_plan_load(c, path, &p, &plan)) {
		tenon_plan_free(plan);
		tenon_program_free(p);
	}
	tenon_context_free(c);
}

static void read_npy(const Input *in)
{
	TenonContext *c = context();
	TenonTensor t;
	const char *path = at_folder("x.npy");
	TenonDType want = below(2) ? TENON_DTYPE_COUNT
				   : (TenonDType)below(TENON_DTYPE_COUNT);

	file_put(path, in->p, in->n);
	if (!tenon_npy_read(c, path, want, &t))
		tenon_release(t.data, tenon_tensor_bytes(&t));
	tenon_context_free(c);
}

static void read_safetensors(const Input *in)
{
	const char *path = at_folder("x.safetensors");
	Ctx ctx;
	Tensor t;

	file_put(path, in->p, in->n);
	ctx_init(&ctx);
	if (safetensors_stat(&ctx, path, "w", &t) &&
	    safetensors_read(&ctx, path, "w", t.dtype, &t))
		big_free(t.data, tensor_bytes(&t));
	ctx_release(&ctx);
}

typedef struct Reader {
	const char *suffix; /* of files in corpus/ */
	const char *found;  /* sound inputs: a pattern, or NULL */
	void (*read)(const Input *in);
} Reader;

static const Reader readers[] = {
	{".tn", "examples/*.tn", read_tn},
	{".tn", "tests/errors/*.tn", read_tn},
	{".tn", "tests/fuzz/corpus/*.tn", read_tn},
	{".program", "tests/golden/*.program", read_program},
	{".rewritten", "tests/golden/*.rewritten", read_rewritten},
	{".regions", "tests/golden/*.regions", read_regions},
	{".kernels", "tests/golden/*.kernels", read_kernels},
	{".json", NULL, read_plan},
	{".npy", NULL, read_npy},
	{".safetensors", NULL, read_safetensors},
};

#define STAGES 3 /* the first reader of a stage's text */

/* ---- sound inputs ---------------------------------------------------- */

typedef struct Sound {
	size_t n;
	char *p;
} Sound;

static struct {
	Sound *p;
	size_t n;
} sound[ARRAY_LEN(readers)];

static void sound_add(uint32_t reader, const char *p, size_t n)
{
	size_t k = sound[reader].n++;
	char *copy = malloc(n + 1);

	sound[reader].p = realloc(sound[reader].p, (k + 1) * sizeof(Sound));
	if (!sound[reader].p || !copy)
		exit(2);
	memcpy(copy, p, n);
	copy[n] = '\0';
	sound[reader].p[k] = (Sound){n, copy};
}

static bool file_get(const char *path, Input *in)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		return false;
	in->n = fread(in->p, 1, INPUT_LIMIT, f);
	in->p[in->n] = '\0';
	fclose(f);
	return true;
}

static void sound_files(uint32_t reader, const char *pattern)
{
	static Input in;
	glob_t g;

	if (glob(pattern, 0, NULL, &g) != 0)
		return;
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (file_get(g.gl_pathv[i], &in))
			sound_add(reader, in.p, in.n);
	globfree(&g);
}

static bool add_written(void *arg, const char *text, size_t len)
{
	sound_add(*(uint32_t *)arg, text, len);
	return true;
}

static void sound_plans(uint32_t reader)
{
	static const char *const texts[] = {
		"def f(x: f32[M]):\n    return x + x\n",
		"def f(x: f32[M, K]):\n    return sum(x, axis=1)\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		TenonContext *c = context();
		TenonProgram *p;
		TenonPlan *plan;
		if (tenon_program_from_text(c, "f.tn", texts[i], NULL, &p) ||
		    tenon_compile(c, p, &emit, &plan) ||
		    tenon_plan_dump(plan, "plan", add_written, &reader)) {
			fprintf(stderr, "%s", tenon_message(c));
			exit(2);
		}
		tenon_plan_free(plan);
		tenon_program_free(p);
		tenon_context_free(c);
	}
}

static void sound_npy(uint32_t reader)
{
	static const char *const dicts[] = {
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
		"{'descr': '>f8', 'fortran_order': True, 'shape': (3, 1), }",
		"{'descr': '|b1', 'fortran_order': False, 'shape': (), }",
		"{'descr': '<i2', 'fortran_order': False, 'shape': (12,), }",
	};
	char all[256];

	for (size_t i = 0; i < ARRAY_LEN(dicts); i++) {
		size_t n = strlen(dicts[i]) + 1;
		memset(all, 1, sizeof(all));
		memcpy(all, "\x93NUMPY\x01\x00", 8);
		all[8] = (char)n;
		all[9] = 0;
		memcpy(all + 10, dicts[i], n - 1);
		all[10 + n - 1] = '\n';
		sound_add(reader, all, 10 + n + (i == 2 ? 1 : 24));
	}
}

static void sound_safetensors(uint32_t reader)
{
	static const char *const heads[] = {
		"{\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],"
		"\"data_offsets\":[0,24]}}",
		"{\"__metadata__\":{\"format\":\"pt\"},"
		"\"v\":{\"dtype\":\"BF16\",\"shape\":[4],"
		"\"data_offsets\":[0,8]},"
		"\"w\":{\"dtype\":\"I64\",\"shape\":[2,1],"
		"\"data_offsets\":[8,24]}}",
	};
	char all[400];

	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		size_t n = strlen(heads[i]);
		memset(all, 0, sizeof(all));
		all[0] = (char)n;
		memcpy(all + 8, heads[i], n);
		sound_add(reader, all, 8 + n + 24);
	}
}

/* The stages of each program of corpus/. */
static void sound_stages(void)
{
	glob_t g;

	if (glob("tests/fuzz/corpus/*.tn", 0, NULL, &g) != 0)
		return;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		TenonContext *c = context();
		TenonProgram *p;
		TenonPlan *plan = NULL;
		/* what once crashed may be no program */
		if (!tenon_program_from_file(c, g.gl_pathv[i], NULL, &p) &&
		    !tenon_compile(c, p, &emit, &plan))
			for (uint32_t r = STAGES; r < STAGES + 4; r++)
				tenon_plan_dump(plan, readers[r].suffix + 1,
						add_written, &r);
		tenon_plan_free(plan);
		tenon_program_free(p);
		tenon_context_free(c);
	}
	globfree(&g);
}

static void sound_all(void)
{
	for (uint32_t r = 0; r < ARRAY_LEN(readers); r++) {
		if (readers[r].found)
			sound_files(r, readers[r].found);
		else if (readers[r].read == read_plan)
			sound_plans(r);
		else if (readers[r].read == read_npy)
			sound_npy(r);
		else
			sound_safetensors(r);
	}
	sound_stages();
}

/* ---- damage ---------------------------------------------------------- */

static const char *const words[] = {
	"0",
	"1",
	"-1",
	"2",
	"9223372036854775807",
	"-9223372036854775808",
	"4294967296",
	"1099511627776",
	"65536",
	"1e309",
	"0x1p-149",
	"nan",
	"-0.0",
	"(",
	")",
	"[",
	"]",
	"\"",
	"%0",
	"%1",
	"%99",
	"@0:1:1+1",
	" ",
	"\n",
	"\t",
	":",
	",",
	"=",
	"-",
	"*",
	"/",
	".",
	"@",
	"::",
	"f16",
	"f32",
	"f64",
	"bool",
	"i8",
	"u64",
	"bf16",
	"M",
	"K",
	"sum",
	"matmul",
	"view",
	"pad",
	"gather",
	"concat",
	"where",
	"cast",
	"iota",
	"const",
	"axis=",
	"axes=[0]",
	"map=[0]",
	"def f(",
	"return",
	"{",
	"}",
	"loop",
	"region",
	"kernel",
};

static void cut(Input *in, size_t at, size_t n)
{
	if (at > in->n || n > in->n - at)
		return;
	memmove(in->p + at, in->p + at + n, in->n - at - n);
	in->n -= n;
}

static void insert(Input *in, size_t at, const char *p, size_t n)
{
	if (at > in->n || in->n + n > INPUT_LIMIT)
		return;
	memmove(in->p + at + n, in->p + at, in->n - at);
	memcpy(in->p + at, p, n);
	in->n += n;
}

/* Start and length (its newline too) of a line. */
static size_t some_line(const Input *in, size_t *len)
{
	size_t at = below(in->n), end = at;

	while (at > 0 && in->p[at - 1] != '\n')
		at--;
	while (end < in->n && in->p[end] != '\n')
		end++;
	*len = end + (end < in->n) - at;
	return at;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '%';
}

/* Start and length of a word near a random place. */
static size_t some_word(const Input *in, size_t *len)
{
	size_t at = below(in->n), end;

	while (at < in->n && !is_word(in->p[at]))
		at++;
	while (at > 0 && is_word(in->p[at - 1]))
		at--;
	for (end = at; end < in->n && is_word(in->p[end]);)
		end++;
	*len = end - at;
	return at;
}

static void damage(Input *in, const Sound *other)
{
	char copy[2000];
	size_t len, at, n = 1 + below(in->n < 300 ? in->n / 2 + 1 : 100);
	const char *word = words[below(ARRAY_LEN(words))];

	switch (below(10)) {
	case 0: /* a bit */
		if (in->n)
			in->p[below(in->n)] ^= (char)(1 << below(8));
		break;
	case 1: /* a byte */
		if (in->n)
			in->p[below(in->n)] = (char)below(256);
		break;
	case 2: /* a part missing */
		cut(in, below(in->n), n);
		break;
	case 3: /* a part twice, or elsewhere */
		at = below(in->n);
		if (n <= in->n - at) {
			memcpy(copy, in->p + at, n);
			insert(in, below(2) ? at : below(in->n), copy, n);
		}
		break;
	case 4: /* a word too many */
		insert(in, below(in->n + 1), word, strlen(word));
		break;
	case 5: /* another word */
	case 6:
		at = some_word(in, &len);
		cut(in, at, len);
		insert(in, at, word, strlen(word));
		break;
	case 7: /* a word from elsewhere in it */
		at = some_word(in, &len);
		if (len && len < sizeof(copy)) {
			memcpy(copy, in->p + at, len);
			size_t from = len;
			at = some_word(in, &len);
			cut(in, at, len);
			insert(in, at, copy, from);
		}
		break;
	case 8: /* a line missing, twice, or elsewhere */
		at = some_line(in, &len);
		if (len < sizeof(copy)) {
			memcpy(copy, in->p + at, len);
			if (below(2))
				cut(in, at, len);
			if (below(2))
				insert(in, at, copy, len);
			else if (below(2)) {
				size_t to = some_line(in, &n);
				insert(in, to, copy, len);
			}
		}
		break;
	case 9: /* the end of another */
		at = below(in->n);
		if (below(4) == 0 && other->n <= INPUT_LIMIT) {
			size_t from = below(other->n);
			cut(in, at, in->n - at);
			insert(in, in->n, other->p + from, other->n - from);
		}
		break;
	}
}

static void make_input(Input *in)
{
	uint32_t r = (uint32_t)below(ARRAY_LEN(readers));
	size_t n = sound[r].n;

	in->reader = r;
	in->n = 0;
	if (n == 0 || below(40) == 0) { /* nothing sound */
		in->n = below(300);
		for (size_t i = 0; i < in->n; i++)
			in->p[i] = (char)below(256);
	} else {
		const Sound *s = &sound[r].p[below(n)];
		insert(in, 0, s->p, s->n);
		for (size_t k = 1 + below(4); k > 0; k--)
			damage(in, &sound[r].p[below(n)]);
	}
	in->p[in->n] = '\0';
}

/* ---- child and parent ------------------------------------------------ */

static void input_run(void)
{
	shared->began = clock_seconds();
	readers[shared->input.reader].read(&shared->input);
	shared->began = 0;
	shared->rounds++;
}

static bool reader_of(const char *path, uint32_t *reader)
{
	size_t n = strlen(path);

	for (uint32_t r = 0; r < ARRAY_LEN(readers); r++) {
		size_t m = strlen(readers[r].suffix);
		if (n > m && !strcmp(path + n - m, readers[r].suffix)) {
			*reader = r;
			return true;
		}
	}
	return false;
}

static void file_run(const char *path)
{
	if (!reader_of(path, &shared->input.reader) ||
	    !file_get(path, &shared->input)) {
		fprintf(stderr, "%s: not an input\n", path);
		exit(2);
	}
	input_run();
}

static void child(char **files, double seconds)
{
	glob_t g;
	double end = clock_seconds() + seconds;

	for (char **f = files; *f; f++)
		file_run(*f);
	if (*files)
		return;
	if (glob("tests/fuzz/corpus/*.*", 0, NULL, &g) == 0) {
		for (size_t i = 0; i < g.gl_pathc; i++)
			file_run(g.gl_pathv[i]);
		globfree(&g);
	}
	sound_all();
	while (clock_seconds() < end) {
		make_input(&shared->input);
		input_run();
	}
	for (uint32_t r = 0; r < ARRAY_LEN(readers); r++) {
		for (size_t i = 0; i < sound[r].n; i++)
			free(sound[r].p[i].p);
		free(sound[r].p);
	}
}

/* Waits for the child; kills it when an input takes too long. */
static int child_wait(pid_t pid, bool *hung)
{
	int status;

	*hung = false;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		double began = shared->began;
		usleep(20000);
		if (began > 0 && began == shared->began &&
		    clock_seconds() - began > INPUT_SECONDS && !*hung) {
			*hung = true;
			kill(pid, SIGKILL);
		}
	}
	return status;
}

static int report(uint64_t seed, int status, bool hung)
{
	const Input *in = &shared->input;
	char path[300];
	const char *tmp = getenv("TMPDIR");

	if (!shared->began) {
		printf("parsers_fuzz: failed at its end, or leaked\n");
		return 1;
	}
	snprintf(path, sizeof(path), "%s/fuzz-%llu-%llu%s",
		 tmp && *tmp ? tmp : "/tmp", (unsigned long long)seed,
		 (unsigned long long)shared->rounds,
		 readers[in->reader].suffix);
	file_put(path, in->p, in->n);
	printf("parsers_fuzz: seed %llu, round %llu: %s (status %#x); run it "
	       "with: parsers_fuzz %s\n",
	       (unsigned long long)seed, (unsigned long long)shared->rounds,
	       hung ? "took too long" : "crashed", (unsigned)status, path);
	return 1;
}

int main(int argc, char **argv)
{
	double seconds = 10;
	uint64_t seed = 1;
	int i = 1;
	bool hung;
	const char *tmp = getenv("TMPDIR");

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = strtod(argv[i + 1], NULL);
		else if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 10);
	}
	snprintf(folder, sizeof(folder), "%s/fuzz-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!mkdtemp(folder) || shared == MAP_FAILED) {
		perror(folder);
		return 2;
	}
	random_state = seed;
	pid_t pid = fork();
	if (pid == 0) {
		child(argv + i, seconds);
		exit(0);
	}
	int status = child_wait(pid, &hung);
	static const char *const names[] = {"stage", "plan.json", "x.npy",
					    "x.safetensors"};
	for (size_t k = 0; k < ARRAY_LEN(names); k++)
		unlink(at_folder(names[k]));
	rmdir(folder);
	if (status != 0)
		return report(seed, status, hung);
	printf("parsers_fuzz: seed %llu, %llu inputs\n",
	       (unsigned long long)seed, (unsigned long long)shared->rounds);
	return 0;
}
