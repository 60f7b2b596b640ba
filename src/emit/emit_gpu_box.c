/*
 * emit_gpu_box: boxes of memory brought by sm_90's copy engine, in PTX.
 *
 * A map is a parameter of its kernel. One thread of a warp beside the phase's
 * own, the feeder, goes through the phase for its boxes alone: it asks for
 * them, and the engine writes them to the block's memory, swizzled as the map
 * says, with zeros where they lie outside of the map.
 *
 * A group of boxes ends at a WAIT; it has an mbarrier, which is done when the
 * feeder has come there and all bytes have arrived. A FREE has one too, done
 * when every other warp has come there, for which the feeder waits. Group or
 * FREE g has number g % ring of either. None is used again too early: the
 * feeder waits at the FREE that follows a WAIT for all others to have passed
 * that, and a warp cannot be further ahead of another than groups are under
 * way. Barriers are made by the thread that comes to them first. [PTX ISA 8.5,
 * "cp.async.bulk.tensor" and "mbarrier"]
 */
#include "emit/emit_gpu.h"

#include <inttypes.h>

#define FEEDER 32 /* threads of its warp */

/* ---- what a phase has ------------------------------------------------ */

/* The most groups that a WAIT leaves under way. */
static int most_groups(const StmtList *l)
{
	int most = 0;

	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		int in[3] = {s->kind == ST_WAIT ? s->bit : 0,
			     most_groups(&s->body), most_groups(&s->orelse)};
		for (int k = 0; k < 3; k++)
			most = in[k] > most ? in[k] : most;
	}
	return most;
}

/* mbarriers, a power of two. */
static int ring_of(const Phase *ph)
{
	int ring = 2;

	while (ring < most_groups(&ph->body) + 2)
		ring *= 2;
	return ring;
}

int eg_box_bytes(const Phase *ph)
{
	return ph->maps.n ? 2 * 8 * ring_of(ph) : 0;
}

int emit_feeders(const Phase *ph)
{
	return ph->maps.n ? FEEDER : 0;
}

void eg_box_parameters(const Phase *ph, Buf *out)
{
	for (size_t i = 0; i < ph->maps.n; i++)
		buf_printf(out, ",\n\tconst __grid_constant__ TnMap tn_map%zu",
			   i);
}

/* ---- functions ------------------------------------------------------- */

static const char functions[] =
	"\nstruct __align__(64) TnMap { unsigned char bytes[128]; };\n"
	"\nstatic __device__ __forceinline__ unsigned tn_at(const void *p)\n"
	"{\n"
	"\treturn (unsigned)__cvta_generic_to_shared(p);\n"
	"}\n"
	"\nstatic __device__ __forceinline__ void\n"
	"tn_boxes_open(uint64_t *barriers, int ring, int count)\n"
	"{\n"
	"\tfor (int i = 0; i < ring; i++)\n"
	"\t\tasm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\"\n"
	"\t\t\t     :: \"r\"(tn_at(barriers + i)), \"r\"(count) : "
	"\"memory\");\n"
	"\tasm volatile(\"fence.mbarrier_init.release.cluster;\" ::: "
	"\"memory\");\n"
	"\tasm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n"
	"}\n"
	"\nstatic __device__ __forceinline__ void tn_boxes_end(uint64_t "
	"*done)\n"
	"{\n"
	"\tasm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\"\n"
	"\t\t     :: \"r\"(tn_at(done)) : \"memory\");\n"
	"}\n"
	"\nstatic __device__ __forceinline__ void\n"
	"tn_boxes_free(uint64_t *free, int t)\n"
	"{\n"
	"\t__syncwarp();\n"
	"\tasm volatile(\"{\\n\\t.reg .pred p;\\n\\t\"\n"
	"\t\t     \"setp.eq.s32 p, %1, 0;\\n\\t\"\n"
	"\t\t     \"@p mbarrier.arrive.shared::cta.b64 _, [%0];\\n\\t}\"\n"
	"\t\t     :: \"r\"(tn_at(free)), \"r\"(t % 32) : \"memory\");\n"
	"}\n"
	"\nstatic __device__ __forceinline__ void\n"
	"tn_boxes_wait(uint64_t *done, unsigned parity, int any)\n"
	"{\n"
	"\tasm volatile(\"{\\n\\t.reg .pred p;\\n\\t\"\n"
	"\t\t     \"setp.eq.s32 p, %2, 0;\\n\\t\"\n"
	"\t\t     \"@p bra DONE;\\n\"\n"
	"\t\t     \"AGAIN:\\n\\t\"\n"
	"\t\t     \"mbarrier.try_wait.parity.shared::cta.b64 p, [%0], "
	"%1;\\n\\t\"\n"
	"\t\t     \"@!p bra AGAIN;\\n\"\n"
	"\t\t     \"DONE:\\n\\t}\"\n"
	"\t\t     :: \"r\"(tn_at(done)), \"r\"(parity), \"r\"(any) : "
	"\"memory\");\n"
	"}\n";

/* tn_box2(to, map, done, bytes, slowest index, fastest): PTX has the fastest
 * one first. */
static void put_box(Buf *out, int rank)
{
	buf_printf(out,
		   "\nstatic __device__ __forceinline__ void\n"
		   "tn_box%d(void *to, const TnMap *map, uint64_t *done, int "
		   "bytes",
		   rank);
	for (int d = 0; d < rank; d++)
		buf_printf(out, ", int x%d", d);
	buf_printf(out,
		   ")\n{\n"
		   "\tasm volatile(\"mbarrier.expect_tx.relaxed.cta.shared::cta"
		   ".b64 [%%0], %%1;\"\n"
		   "\t\t     :: \"r\"(tn_at(done)), \"r\"(bytes) : "
		   "\"memory\");\n"
		   "\tasm volatile(\"cp.async.bulk.tensor.%dd.shared::cluster"
		   ".global.mbarrier::complete_tx::bytes \"\n"
		   "\t\t     \"[%%0], [%%1, {",
		   rank);
	for (int d = 0; d < rank; d++)
		buf_printf(out, "%s%%%d", d ? ", " : "", 3 + d);
	buf_puts(out, "}], [%2];\"\n"
		      "\t\t     :: \"r\"(tn_at(to)), \"l\"(map), "
		      "\"r\"(tn_at(done))");
	for (int d = rank; d-- > 0;)
		buf_printf(out, ", \"r\"(x%d)", d);
	buf_puts(out, " : \"memory\");\n}\n");
}

void eg_box_head(const Emit *e, Buf *out)
{
	bool rank[MAP_MAX_RANK + 1] = {false}, any = false;

	for (size_t i = 0; i < e->k->phases.n; i++)
		for (size_t j = 0; j < e->k->phases.p[i].maps.n; j++)
			any = rank[e->k->phases.p[i].maps.p[j].rank] = true;
	if (!any)
		return;
	buf_puts(out, functions);
	for (int r = 1; r <= MAP_MAX_RANK; r++)
		if (rank[r])
			put_box(out, r);
}

/* ---- statements ------------------------------------------------------ */

void eg_box_open(Emit *e, const Phase *ph, const char *offset)
{
	int ring = ring_of(ph);

	ec_line(e, "uint64_t *const tn_done = (uint64_t *)(tn_shared + %s);\n",
		offset);
	ec_line(e, "uint64_t *const tn_free = tn_done + %d;\n", ring);
	ec_line(e, "if (tn_t == %d)\n", ph->threads);
	ec_line(e, "\ttn_boxes_open(tn_done, %d, 1);\n", ring);
	ec_line(e, "else if (tn_t == 0)\n");
	ec_line(e, "\ttn_boxes_open(tn_free, %d, %d);\n", ring,
		ph->threads < 32 ? 1 : ph->threads / 32);
	ec_line(e, "unsigned tn_group = 0, tn_turn = 0;\n");
}

static bool has_boxes(const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (eg_box_is_fed(l->p[i]))
			return true;
	return false;
}

bool eg_box_is_fed(const Stmt *s)
{
	return s->kind == ST_BOX || s->kind == ST_WAIT || s->kind == ST_FREE ||
	       has_boxes(&s->body) || has_boxes(&s->orelse);
}

void eg_box(Emit *e, const Stmt *s, const Phase *ph)
{
	const KMap *m = &ph->maps.p[s->box->map];
	int64_t bytes = dtype_info[s->dtype].bytes;

	e->buffer_used[s->buffer] = true;
	if (!e->feeder)
		return;
	for (int d = 0; d < m->rank; d++)
		bytes *= m->box[d];
	if (s->nconds)
		ec_line(e, "if (%s)\n", ec_conds(e, s->conds, s->nconds));
	buf_indent(e->out, e->depth + (s->nconds > 0));
	buf_printf(e->out,
		   "tn_box%d(%s + %s, &tn_map%u, tn_done + tn_group %% %d, "
		   "%" PRId64,
		   m->rank, ec_buffer(e, s->buffer),
		   ec_ex_raw(e, ec_linear(e, s)), s->box->map, ring_of(ph),
		   bytes);
	for (int d = 0; d < m->rank; d++)
		buf_printf(e->out, ", (int)(%s)", ec_ex_raw(e, s->box->at[d]));
	buf_puts(e->out, ");\n");
}

/* Groups before those that the WAIT with the most leaves were waited for. */
void eg_box_wait(Emit *e, const Stmt *s, const Phase *ph)
{
	int ring = ring_of(ph);

	if (e->feeder) {
		ec_line(e, "tn_boxes_end(tn_done + tn_group++ %% %d);\n", ring);
		return;
	}
	ec_line(e, "tn_group++;\n");
	for (int n = most_groups(&ph->body) + 1; n > s->bit; n--)
		ec_line(e,
			"tn_boxes_wait(tn_done + (tn_group - %d) %% %d, "
			"(tn_group - %d) / %d %% 2, tn_group >= %d);\n",
			n, ring, n, ring, n);
}

void eg_box_barrier(Emit *e, const Phase *ph)
{
	ec_line(e, "asm volatile(\"bar.sync 1, %d;\" ::: \"memory\");\n",
		ph->threads < FEEDER ? FEEDER : ph->threads);
}

void eg_box_free(Emit *e, const Phase *ph)
{
	int ring = ring_of(ph);

	if (e->feeder)
		ec_line(e,
			"tn_boxes_wait(tn_free + tn_turn %% %d, tn_turn / %d "
			"%% 2, 1);\n",
			ring, ring);
	else
		ec_line(e, "tn_boxes_free(tn_free + tn_turn %% %d, tn_t);\n",
			ring);
	ec_line(e, "tn_turn++;\n");
}
