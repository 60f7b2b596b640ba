/*
 * samecode: a hash of what a plan runs.
 *
 * Candidates that differ in a parameter may come to one code: a block larger
 * than the tensor is the tensor. They are told by the kernels' text without the
 * line that names the parameters, by the values that it refers to, and by the
 * sources without comments, which have names, lines and parameters. Launches
 * and memory are made from the kernels, and the same for the same ones.
 */
#include "driver/tune.h"

#include "ir/kernel_text.h"

#include <string.h>

static void add_text(Sha256 *h, const char *s, size_t n)
{
	sha256_add(h, s, n);
	sha256_add(h, "", 1);
}

/* The text behind its first line, that of the name and parameters. */
static void add_kernel(Sha256 *h, Arena *a, const Kernels *ks, const Kernel *k)
{
	Buf b;

	buf_init(&b, a);
	kernel_print(ks, k, &b);
	const char *text = buf_str(&b), *body = text + strcspn(text, "\n");
	add_text(h, k->realisation, strlen(k->realisation));
	add_text(h, body, strlen(body));
}

static void add_source(Sha256 *h, const char *s)
{
	while (*s) {
		const char *comment = strstr(s, "/*");
		const char *end = comment ? strstr(comment, "*/") : NULL;
		sha256_add(h, s, end ? (size_t)(comment - s) : strlen(s));
		s = end ? end + 2 : s + strlen(s);
	}
	sha256_add(h, "", 1);
}

const char *plan_code_key(Arena *a, const Plan *p)
{
	Sha256 *h = sha256_new(a);
	char *hex = arena_array(a, char, SHA256_HEX);
	Buf b;

	buf_init(&b, a);
	program_print_plain(p->kernels->program, &b);
	add_text(h, buf_str(&b), b.n);
	for (size_t i = 0; i < p->kernels->kernels.n; i++)
		add_kernel(h, a, p->kernels, &p->kernels->kernels.p[i]);
	for (size_t i = 0; i < p->sources.n; i++)
		add_source(h, p->sources.p[i]);
	sha256_end(h, hex);
	return hex;
}
