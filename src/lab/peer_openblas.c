/* peer_openblas: OpenBLAS, through cblas. */
#include "lab.h"

static bool open_library(LabMem *m, LabPeer *p)
{
	static const char *const files[] = {"libopenblas.so.0",
					    "libopenblas.so"};
	static const char *const names[] = {
		"cblas_sgemm",
		"cblas_dgemm",
		"cblas_sgemv",
		"cblas_dgemv",
		"openblas_set_num_threads",
		"openblas_get_config",
	};

	if (!lab_peer_load(m, p, files, 2) || !lab_peer_symbols(m, p, names, 6))
		return false;
	(__extension__(void (*)(int)) p->entry[4])(p->threads);
	p->version = (__extension__(char *(*)(void)) p->entry[5])();
	return true;
}

const LabPeerSpec lab_peer_openblas = {
	.name = "openblas",
	.title = "OpenBLAS",
	.package = "Debian's package libopenblas0-pthread",
	.open = open_library,
	.takes = lab_cblas_takes,
	.product_new = lab_cblas_new,
	.product_run = lab_cblas_run,
};
