/*
 * regions: partitions of programs that make.h built, for tests of the region
 * policy. Each is verified, and its text read back.
 */
#ifndef TENON_TEST_REGIONS_H
#define TENON_TEST_REGIONS_H

#include "region/region.h"

#include "tests/unit/make.h"

static const Partition usual = {.cpus = 2, .vector_bytes = 64, .l2 = 2 << 20};

TEST_ONLY static Regions *part_on(Make *m, const Partition *on,
				  const RegionPin *pins, size_t n)
{
	Buf why;
	buf_init(&why, &m->arena);
	if (!CHECK(program_verify(&m->p, &why)))
		printf("%s\n", buf_str(&why));
	Regions *r = region_partition(&m->ctx, &m->arena, &m->p, on, pins, n);
	if (!r)
		return NULL;
	if (!CHECK(regions_verify(r, &why)))
		printf("%s\n", buf_str(&why));
	/* the text reads back */
	Buf text, again;
	buf_init(&text, &m->arena);
	buf_init(&again, &m->arena);
	regions_print(r, &text);
	uint32_t source =
		ctx_add_source(&m->ctx, "test.regions", buf_str(&text), text.n);
	Regions *back = regions_parse(&m->ctx, &m->arena, source);
	if (CHECK(back != NULL)) {
		regions_print(back, &again);
		CHECK_STR(buf_str(&again), buf_str(&text));
	} else {
		printf("%s", buf_str(&m->ctx.messages));
	}
	return r;
}

TEST_ONLY static Regions *part(Make *m, const RegionPin *pins, size_t n)
{
	return part_on(m, &usual, pins, n);
}

/* `contract:epilogue rowreduce`: kinds in order. */
TEST_ONLY static const char *kinds(Make *m, const Regions *r)
{
	Buf b;
	buf_init(&b, &m->arena);
	for (size_t i = 0; r && i < r->regions.n; i++)
		buf_printf(&b, "%s%s", i ? " " : "",
			   region_kind_name[r->regions.p[i].kind]);
	return buf_str(&b);
}

TEST_ONLY static const char *condition(const Regions *r, ValueId from,
				       ValueId to)
{
	for (size_t i = 0; i < r->decisions.n; i++)
		if (r->decisions.p[i].producer == from &&
		    r->decisions.p[i].consumer == to)
			return r->decisions.p[i].condition;
	return "no decision";
}

#endif
