/*
 * tn_build: from the syntax tree to a Program.
 *
 *   tn_build.c  the file: entry, consts, sets of dims
 *   tn_def.c    defs: frames, types, statements, calls
 *   tn_eval.c   expressions: names, operators, calls, attributes
 *   tn_make.c   values: emitting, literals, broadcasts, dims as values
 *   tn_index.c  x[...]
 *   tn_ops.c    the table of built-in functions
 *   tn_conv.c   convolution as a view and a matmul
 *
 * Evaluation is of static values (Val): a tensor is a value of the program
 * being built; all else (numbers, extents, dtypes, lists) is known while
 * building. Every call is expanded where it stands. Functions return false
 * once an error has been reported.
 */
#ifndef TENON_FRONT_TN_BUILD_H
#define TENON_FRONT_TN_BUILD_H

#include "front/front.h"
#include "front/tn_ast.h"
#include "front/tn_num.h"

#define TN_MAX_VALUES    65536 /* of one program, calls expanded */
#define TN_MAX_CALLS     64    /* defs within defs */
#define TN_MAX_EVAL      4000  /* levels of expressions, calls included */
#define TN_MAX_NOTES     8     /* calls that an error's notes name */
#define TN_MAX_ARGS      8     /* parameters of a built-in function */
#define TN_MAX_EXPR_TERM 256   /* terms of a product of extents */

typedef enum ValKind {
	VAL_NONE,
	VAL_TENSOR, /* id */
	VAL_NUMBER, /* number, no dtype yet */
	VAL_DIM,    /* dim: an integer expression of dims */
	VAL_BOOL,   /* truth */
	VAL_STRING, /* text */
	VAL_DTYPE,  /* dtype */
	VAL_LIST,   /* items; tuple tells (a, b) from [a, b] */
	VAL_ELLIPSIS,
} ValKind;

typedef struct Val Val;
struct Val {
	ValKind kind;
	Loc loc; /* place in the user's text */
	ValueId id;
	Number number;
	Ex dim;
	bool truth, tuple;
	DType dtype;
	const char *text;
	Val *items;
	size_t n;
};

typedef struct Local {
	const char *name;
	Loc loc;
	const char *what; /* "a parameter", "a value", "a dim" */
	Val val;
} Local;

/* One def being expanded. */
typedef struct Frame Frame;
struct Frame {
	Frame *outer;
	const Def *def; /* NULL: the file itself */
	StrMap *index;
	VEC(Local) locals;
	bool prelude;
	Loc call;        /* where the user's text called it */
	const char *via; /* see Value.via */
	uint32_t relax;
};

typedef struct Build {
	Ctx *ctx;
	Arena *arena; /* of everything but the program */
	Program *p;
	const FrontOptions *options;
	const Unit *user, *prelude;
	Frame *frame;
	Frame file;        /* dims and consts of the file */
	Val *consts;       /* by number; VAL_NONE until used */
	Loc at;            /* place that new values and errors belong to */
	int levels;        /* of eval */
	int notes;         /* given so far */
	bool declare_dims; /* unknown names in extents are new dims */
	bool has_replaced;
	DType replaced;     /* what --dtype reads as another */
	const char *called; /* the function whose arguments are judged */
} Build;

/* ---- tn_build.c ------------------------------------------------------ */

const Def *build_find_def(const Unit *u, const char *name);
/* A const of the file as a value; number i of user->consts. */
bool build_const(Build *b, size_t i, Val *out);
/* A dim's extent: itself, or the number that the options fix it to. */
Ex build_dim(Build *b, const char *name);
/* The file's dims: named in a set or in the type of a const. */
bool build_file_dim(Build *b, const char *name);
/* A dtype as the current text writes it, --dtype obeyed. */
DType build_dtype(const Build *b, DType written);

/* ---- tn_def.c -------------------------------------------------------- */

/* An argument list: positional values, then named ones. */
typedef struct Args {
	Val *p;
	size_t n;
	const Word *names; /* of named[i] */
	Val *named;
	size_t nnamed;
} Args;

/* Makes f, filled but for its names, the current frame. */
void build_push(Build *b, Frame *f);
/* Gives a value a name in the current frame; what: see Local. */
bool build_name(Build *b, const char *name, Loc loc, const char *what,
		const Val *v);
bool build_check_extent(Build *b, Loc loc, Ex e);
/* dtype, rank and shape of a type into v. */
bool build_type(Build *b, const TypeNode *t, Value *v);
const char *build_type_text(Build *b, const Value *v);
/* A tensor against the type that the text gives it. */
bool build_check_type(Build *b, const Val *v, const Value *want, Loc loc,
		      const char *what);
/* Runs the statements of a def in the current frame. */
bool build_body(Build *b, const Def *d, Val *out);
bool build_call_def(Build *b, const Def *d, const Args *args, Val *out);
/* Arguments in order of the parameters; VAL_NONE where none is given. */
bool build_bind(Build *b, const char *callee, const char *const *params,
		const bool *optional, size_t nparams, const Args *args,
		Val *bound);

/* ---- tn_eval.c ------------------------------------------------------- */

bool eval(Build *b, const Node *n, Val *out);
/* An extent or other static integer. */
bool eval_extent(Build *b, const Node *n, Ex *out);
bool val_binary(Build *b, TokKind op, Val *x, Val *y, Val *out);

/* ---- tn_make.c ------------------------------------------------------- */

TN_PRINTF(4, 5)
bool fail_at(Build *b, Loc loc, const char *hint, const char *fmt, ...);
/* `b: f16[N]`, `2.5`, `a list`, ...: for messages. */
const char *val_text(Build *b, const Val *v);
const char *extent_text(Build *b, Ex e);

/* Infers, adds, and returns the value as a Val. */
bool emit(Build *b, Value *v, Val *out);
/* A copy: adding values moves them. */
Value val_value(const Build *b, const Val *v);
Val val_tensor(Build *b, ValueId id);
Val val_dim(Build *b, Ex e);
bool val_to_extent(Build *b, const Val *v, const char *what, Ex *out);
bool val_to_int(Build *b, const Val *v, const char *what, int64_t *out);
/* Extents given as one integer or as a list. */
bool val_to_extents(Build *b, const Val *v, const char *what, Ex *out,
		    size_t *n);
/* Reports an overflow of static integer arithmetic. */
bool extent_check(Build *b);
/* The larger of two, without the choice where one is proved. */
Ex larger_extent(Build *b, Ex x, Ex y);

/* Requires a tensor; the message says what took it. */
bool need_tensor(Build *b, const Val *v);
/* v as a tensor of dtype d: a literal is rounded, a tensor stays. */
bool val_materialise(Build *b, const Val *v, DType d, Val *out);
bool make_number(Build *b, const Number *n, DType d, Loc loc, Val *out);
bool make_int(Build *b, int64_t n, DType d, Val *out);
bool make_unary(Build *b, Op op, const Val *x, Val *out);
/* ELEM op of operands with broadcasting; literals take the others' dtype.
 * what: how the text writes the op. */
bool make_elementwise(Build *b, Op op, const char *what, const Val *args,
		      size_t n, Val *out);
bool make_cast(Build *b, const Val *x, DType d, Val *out);
bool make_broadcast(Build *b, const Val *x, const Ex *shape, size_t rank,
		    Val *out);
bool make_reshape(Build *b, const Val *x, const Ex *shape, size_t rank,
		  Val *out);
bool make_transpose(Build *b, const Val *x, const uint8_t *perm, Val *out);
bool make_pad(Build *b, const Val *x, const Ex *before, const Ex *after,
	      const Val *fill, Val *out);
/* matmul with NumPy's rules for rank 1 and for batches. */
bool make_matmul(Build *b, const Val *x, const Val *y, const Val *acc,
		 const Val *result, Val *out);
/* Accumulator and result dtype of a sum of d, from acc= and out=. */
bool sum_dtypes(Build *b, DType d, const Val *acc, const Val *result,
		DType *acc_out, DType *out);

/* ---- tn_index.c ------------------------------------------------------ */

bool make_index(Build *b, const Val *x, const Node *n, Val *out);

/* ---- tn_ops.c, tn_conv.c --------------------------------------------- */

typedef struct Builtin Builtin;
struct Builtin {
	const char *name;
	const char *params; /* "x, axis=, *shape": = optional, * the rest */
	bool (*make)(Build *b, const Builtin *f, const Val *arg, Val *out);
	Op op;
	bool prelude_only;
};
const Builtin *builtin_find(const char *name, bool prelude);
bool builtin_call(Build *b, const Builtin *f, const Args *args, Val *out);
/* Names of all functions that user text may call, for suggestions. */
size_t builtin_names(const char **names, size_t cap);
bool conv_make(Build *b, const Builtin *f, const Val *arg, Val *out);

#endif
