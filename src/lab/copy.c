/*
 * copy: what it takes to move a program's bytes and do nothing else, as a path
 * beside the peers: the largest input is copied over the largest result, with
 * stores that pass the caches by. Its results are wrong, and not judged.
 */
#include "lab.h"

#include <dlfcn.h>

#define CHUNKS 16   /* a thread: a late one leaves its share to others */
#define LINE   64   /* bytes */
#define ENOUGH 0.98 /* of the program's bytes, that a copy must move */

struct LabCopy {
	LabTeam *team;
	int chunks;
	void *library;
	LabMoveFn *move;
	const char **from; /* by set */
	char **to;
	int64_t lines;
	int set; /* of the call at hand */
};

static const TenonTensor *largest(const TenonTensor *t, int n)
{
	const TenonTensor *most = t;

	for (int i = 1; i < n; i++)
		if (tenon_tensor_bytes(&t[i]) > tenon_tensor_bytes(most))
			most = &t[i];
	return n ? most : NULL;
}

LabCopy *lab_copy_new(LabMem *m, const LabComposeOptions *o, int sets)
{
	LabCopy *c = LAB_NEW(m, LabCopy, 1);

	c->team = o->team;
	c->chunks = o->threads * CHUNKS;
	c->from = LAB_NEW(m, const char *, sets);
	c->to = LAB_NEW(m, char *, sets);
	if (!lab_peak_build(m, o->compiler, &c->library))
		return NULL;
	c->move = __extension__(LabMoveFn *) dlsym(c->library, "peak_stream");
	return c;
}

bool lab_copy_bind(LabMem *m, LabCopy *c, const LabProgram *p, int set,
		   const TenonTensor *inputs, const TenonTensor *results)
{
	const TenonTensor *from = largest(inputs, p->ninputs);
	const TenonTensor *to = largest(results, p->nresults);
	size_t bytes = to ? tenon_tensor_bytes(to) : 0;

	if (!from || bytes < LINE || tenon_tensor_bytes(from) != bytes ||
	    2 * (double)bytes < ENOUGH * p->bytes)
		return lab_fail(m,
				"no copy moves what this program does: %.0f "
				"bytes read and %.0f written",
				p->bytes - p->written, p->written);
	c->from[set] = from->data;
	c->to[set] = to->data;
	c->lines = (int64_t)bytes / LINE;
	return true;
}

static void part(void *arg, int worker, int chunk)
{
	const LabCopy *c = arg;
	int64_t first = c->lines * chunk / c->chunks * LINE;
	int64_t end = c->lines * (chunk + 1) / c->chunks * LINE;

	(void)worker;
	c->move((float *)(void *)(c->to[c->set] + first),
		(const float *)(const void *)(c->from[c->set] + first),
		(long)(end - first) / (long)sizeof(float));
}

bool lab_copy_run(void *copy, int set)
{
	LabCopy *c = copy;

	c->set = set;
	lab_team_run(c->team, NULL, part, c, c->chunks);
	return true;
}

void lab_copy_free(LabCopy *c)
{
	if (c)
		dlclose(c->library);
}

static bool open_copy(LabMem *m, LabPeer *p)
{
	(void)m;
	p->version = TENON_VERSION;
	return true;
}

const LabPeerSpec lab_peer_copy = {
	.name = "copy",
	.title = "a streamed copy",
	.open = open_copy,
};
