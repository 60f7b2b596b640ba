/* external: values by their names. */
#include "ir/external.h"

#include <string.h>

ValueId external_value(const Program *p, const char *name)
{
	for (size_t i = 0; i < p->results.n; i++)
		if (!strcmp(p->results.p[i].name, name))
			return p->results.p[i].value;
	for (ValueId v = 0; v < p->values.n; v++) {
		const char *of = program_value(p, v)->name;
		if (of && !strcmp(of, name))
			return v;
	}
	return NO_VALUE;
}
