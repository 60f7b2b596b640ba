/*
 * devices: targets, compilers and libraries, found and missing.
 */
#include "cli.h"

#include <string.h>

static void devices_print(const TenonDevice *d, size_t n)
{
	int kind = 0, target = 0;

	for (size_t i = 0; i < n; i++) {
		if ((int)strlen(d[i].kind) > kind)
			kind = (int)strlen(d[i].kind);
		if ((int)strlen(d[i].target) > target)
			target = (int)strlen(d[i].target);
	}
	for (size_t i = 0; i < n; i++)
		printf("%c %-*s  %-*s  %s\n",
		       d[i].chosen      ? '*'
		       : d[i].available ? ' '
					: '-',
		       kind, d[i].kind, target, d[i].target, d[i].text);
	printf("\n* used by default   - not here\n");
}

static json_t *devices_json(const TenonDevice *d, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:b, s:b}", "kind",
					d[i].kind, "target", d[i].target,
					"text", d[i].text, "available",
					d[i].available, "chosen", d[i].chosen));
	return list;
}

int cli_devices(const Args *a)
{
	const TenonDevice *devices;
	size_t n;
	Session s;
	TenonError err;
	int code = session_init(&s, a);

	if (code == EXIT_GOOD) {
		err = tenon_devices(s.ctx, &devices, &n);
		if (err) {
			code = session_fail(&s, err);
		} else {
			session_notices(&s);
			if (s.report)
				json_object_set_new(s.report, "devices",
						    devices_json(devices, n));
			else
				devices_print(devices, n);
			session_report(&s, "good");
		}
	}
	session_clear(&s);
	return code;
}
