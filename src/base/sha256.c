/*
 * sha256: FIPS 180-4 by libcrypto, which uses the machine's own
 * instructions for it. The library's context belongs to the arena, so that
 * an unwound hash is freed with it.
 */
#include "base/base.h"

#include <openssl/evp.h>

struct Sha256 {
	EVP_MD_CTX *md;
};

static void md_free(void *p)
{
	Sha256 *h = p;
	EVP_MD_CTX_free(h->md);
	h->md = NULL;
}

Sha256 *sha256_new(Arena *a)
{
	Sha256 *h = arena_new(a, Sha256);
	arena_defer(a, md_free, h);
	h->md = EVP_MD_CTX_new();
	if (!h->md || EVP_DigestInit_ex(h->md, EVP_sha256(), NULL) != 1)
		oom_raise();
	return h;
}

void sha256_add(Sha256 *h, const void *p, size_t n)
{
	bug_if(!h->md);
	if (EVP_DigestUpdate(h->md, p, n) != 1)
		bug("SHA-256 refused data");
}

static void hex_write(const unsigned char *bytes, char hex[SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";
	for (int i = 0; i < 32; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	hex[64] = '\0';
}

void sha256_end(Sha256 *h, char hex[SHA256_HEX])
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	bug_if(!h->md);
	if (EVP_DigestFinal_ex(h->md, bytes, NULL) != 1)
		bug("SHA-256 gave no result");
	md_free(h);
	hex_write(bytes, hex);
}

void sha256_hex(const void *p, size_t n, char hex[SHA256_HEX])
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	if (EVP_Digest(p, n, bytes, NULL, EVP_sha256(), NULL) != 1)
		oom_raise();
	hex_write(bytes, hex);
}
