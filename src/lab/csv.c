/*
 * csv: raw samples, one a line, and beside them FILE with .json for .csv,
 * which says what they were taken on. No host is named in either.
 */
#include "lab.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct LabCsv {
	const char *path, *part; /* part is path where it is no file */
	FILE *out;
};

static bool fail(LabMem *m, const LabCsv *c, const char *what)
{
	return lab_fail(m, "cannot %s %s: %s", what, c->path, strerror(errno));
}

LabCsv *lab_csv_open(LabMem *m, const char *path)
{
	LabCsv *c = LAB_NEW(m, LabCsv, 1);
	struct stat st;
	bool direct = stat(path, &st) == 0 && !S_ISREG(st.st_mode);

	c->path = path;
	c->part = direct ? path : lab_printf(m, "%s.part", path);
	c->out = fopen(c->part, "w");
	if (!c->out) {
		fail(m, c, "open");
		return NULL;
	}
	fprintf(c->out, "case,path,round,position,clock,regime,us\n");
	return c;
}

/* Commas and quotes have no place in a field. */
static const char *field(LabMem *m, const char *s)
{
	char *p = lab_printf(m, "%s", s);

	for (char *q = p; *q; q++)
		if (*q == ',' || *q == '"' || *q == '\n')
			*q = ';';
	return p;
}

bool lab_csv_add(LabMem *m, LabCsv *c, const LabResult *r)
{
	for (int k = 0; k < r->rounds; k++)
		for (int i = 0; i < r->npaths; i++) {
			const LabPathResult *p = &r->paths[i];

			if (p->why_not || !p->samples.us)
				continue;
			fprintf(c->out, "%s,%s,%d,%d,%s,%s,%.4f\n",
				field(m, r->name), p->name, k,
				p->samples.position[k], r->clock, r->regime,
				p->samples.us[k]);
		}
	for (int i = 0; i < r->nmore; i++)
		if (!lab_csv_add(m, c, &r->more[i]))
			return false;
	return (fflush(c->out) == 0 && !ferror(c->out)) || fail(m, c, "write");
}

static const char *companion(LabMem *m, const char *path)
{
	size_t n = strlen(path);

	if (n > 4 && strcmp(path + n - 4, ".csv") == 0)
		n -= 4;
	return lab_printf(m, "%.*s.json", (int)n, path);
}

static bool companion_write(LabMem *m, const LabCsv *c,
			    const LabMachine *machine, const LabResult *r)
{
	const char *path = companion(m, c->path);
	json_t *versions = json_object(), *o;
	int err;

	for (int i = 0; i < r->npaths; i++)
		json_object_set_new(versions, r->paths[i].name,
				    r->paths[i].version
					    ? json_string(r->paths[i].version)
					    : json_null());
	o = lab_machine_json(machine);
	json_object_set_new(o, "versions", versions);
	err = json_dump_file(o, path, JSON_INDENT(2) | JSON_SORT_KEYS);
	json_decref(o);
	return err == 0 ||
	       lab_fail(m, "cannot write %s: %s", path, strerror(errno));
}

bool lab_csv_close(LabMem *m, LabCsv *c, const LabMachine *machine,
		   const LabResult *last)
{
	bool good = fflush(c->out) == 0 && !ferror(c->out);

	if (fclose(c->out) != 0)
		good = false;
	c->out = NULL;
	if (!good) {
		fail(m, c, "write");
		lab_csv_abandon(c);
		return false;
	}
	if (c->part == c->path)
		return true;
	if (!companion_write(m, c, machine, last)) {
		lab_csv_abandon(c);
		return false;
	}
	return rename(c->part, c->path) == 0 || fail(m, c, "write");
}

void lab_csv_abandon(LabCsv *c)
{
	if (c->out)
		fclose(c->out);
	c->out = NULL;
	if (c->part != c->path)
		unlink(c->part);
}
