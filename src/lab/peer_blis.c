/* peer_blis: BLIS, through cblas. */
#include "lab.h"

static bool open_library(LabMem *m, LabPeer *p)
{
	static const char *const files[] = {"libblis.so.4", "libblis.so"};
	static const char *const names[] = {
		"cblas_sgemm",
		"cblas_dgemm",
		"cblas_sgemv",
		"cblas_dgemv",
		"bli_thread_set_num_threads",
		"bli_info_get_version_str",
	};

	if (!lab_peer_load(m, p, files, 2) || !lab_peer_symbols(m, p, names, 6))
		return false;
	/* dim_t is as wide as a pointer unless BLIS was built otherwise. */
	(__extension__(void (*)(intptr_t)) p->entry[4])(p->threads);
	p->version = lab_printf(
		m, "BLIS %s",
		(__extension__(const char *(*)(void)) p->entry[5])());
	return true;
}

const LabPeerSpec lab_peer_blis = {
	.name = "blis",
	.title = "BLIS",
	.package = "Debian's package libblis4-pthread",
	.open = open_library,
	.takes = lab_cblas_takes,
	.product_new = lab_cblas_new,
	.product_run = lab_cblas_run,
};
