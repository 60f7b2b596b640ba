/*
 * planted: what planted code calls. It is read as text by the mutants'
 * test and put before the kernels of a generated source, so it includes
 * nothing and says its types by what that source declares.
 */

/*
 * x rounded to p bits with exponents from emin, how: n nearest even, a ties
 * away from zero, z toward zero, s nearest but never infinite, f nearest and
 * no subnormals.
 */
static inline float mut_round(float x, int p, int emin, float max, char how)
{
	union {
		float f;
		uint32_t u;
	} b = {x};
	union {
		uint64_t u;
		double d;
	} ulp;
	int e = (int)(b.u >> 23 & 255) - 127;

	if (e == 128)
		return x;
	if (how == 'n' && p < 24 && e >= emin) { /* the usual case, fast */
		union {
			uint32_t u;
			float f;
		} r = {(b.u + (1u << (23 - p)) - 1 + (b.u >> (24 - p) & 1)) &
		       ~((1u << (24 - p)) - 1)};
		if ((r.f < 0 ? -r.f : r.f) <= max)
			return r.f;
	}
	e = e < emin ? emin : e;
	ulp.u = (uint64_t)(1023 + e - p + 1) << 52;
	double q = (x < 0 ? -(double)x : (double)x) / ulp.d;
	int64_t t = (int64_t)q;
	double part = q - (double)t;
	if (how != 'z' &&
	    (part > 0.5 || (part == 0.5 && (how == 'a' || t % 2))))
		t++;
	double r = (double)t * ulp.d;
	ulp.u = (uint64_t)(1023 + emin) << 52;
	if (how == 'f' && r < ulp.d)
		r = 0;
	if (r > (double)max)
		r = how == 's' || how == 'z' ? (double)max : 1e300 * 1e300;
	return b.u >> 31 ? -(float)r : (float)r;
}

/* The same for each lane of a vector, or for a scalar. */
#define MUT_LANES(a, p, emin, max, how)                                        \
	__extension__({                                                        \
		union {                                                        \
			__typeof__(a) v;                                       \
			float f[sizeof(a) / 4];                                \
		} m_ = {(a)};                                                  \
		for (unsigned l_ = 0; l_ < sizeof m_.f / 4; l_++)              \
			m_.f[l_] = mut_round(m_.f[l_], p, emin, max, how);     \
		m_.v;                                                          \
	})
#define MUT_f16(how, a)  MUT_LANES(a, 11, -14, 65504.0f, how)
#define MUT_bf16(how, a) MUT_LANES(a, 8, -126, 0x1.fep127f, how)
#define MUT_tf32(how, a) MUT_LANES(a, 11, -126, 0x1.fffffep127f, how)
#define MUT_f32(how, a)  MUT_LANES(a, 24, -126, 0x1.fffffep127f, how)

#define MUT_PAIR(a, b, T, expr)                                                \
	__extension__({                                                        \
		union {                                                        \
			__typeof__(a) v;                                       \
			T t[sizeof(a) / sizeof(T)];                            \
		} m_ = {(a)}, n_ = {(b)};                                      \
		for (unsigned l_ = 0; l_ < sizeof m_.t / sizeof *m_.t; l_++) { \
			const T x_ = m_.t[l_], y_ = n_.t[l_];                  \
			m_.t[l_] = (T)(expr);                                  \
		}                                                              \
		m_.v;                                                          \
	})
/* A maximum that drops NaN in x, as a plain select does. */
#define MUT_MAX(a, b) MUT_PAIR(a, b, float, x_ > y_ ? x_ : y_)
/* Keeps NaN, but takes the first of two zeros. */
#define MUT_MAX_ZERO(a, b) MUT_PAIR(a, b, float, y_ > x_ || y_ != y_ ? y_ : x_)
#define MUT_SATURATE(a, b)                                                     \
	MUT_PAIR(a, b, int8_t,                                                 \
		 x_ + y_ > 127    ? 127                                        \
		 : x_ + y_ < -128 ? -128                                       \
				  : x_ + y_)

/* a*b + c with the product exact. */
#define MUT_FMA(a, b, c)                                                       \
	__extension__({                                                        \
		union {                                                        \
			__typeof__(a) v;                                       \
			float f[sizeof(a) / 4];                                \
		} m_ = {(a)}, n_ = {(b)}, o_ = {(c)};                          \
		for (unsigned l_ = 0; l_ < sizeof m_.f / 4; l_++)              \
			m_.f[l_] =                                             \
				(float)((double)m_.f[l_] * (double)n_.f[l_] +  \
					(double)o_.f[l_]);                     \
		m_.v;                                                          \
	})

/* True at one call in n. */
/* The greater of two vectors of places, where the greatest means none. */
#define MUT_LATER(a, b)                                                        \
	__extension__({                                                        \
		__typeof__(a) a_ = (a), b_ = (b);                              \
		a_ |= a_ == __INT64_MAX__;                                     \
		b_ |= b_ == __INT64_MAX__;                                     \
		b_ = ((a_ > b_) & a_) | (~(a_ > b_) & b_);                     \
		b_ &__INT64_MAX__;                                             \
	})

#define MUT_EVERY(n, k)                                                        \
	__extension__({                                                        \
		static int c_;                                                 \
		c_++ % (n) == (k);                                             \
	})

static inline float mut_get_f32(const void *p, int64_t i)
{
	return ((const float *)p)[i];
}
static inline float mut_get_bf16(const void *p, int64_t i)
{
	union {
		uint32_t u;
		float f;
	} b = {(uint32_t)((const uint16_t *)p)[i] << 16};

	return b.f;
}
static inline float mut_get_f16(const void *p, int64_t i)
{
	uint32_t h = ((const uint16_t *)p)[i], e = h >> 10 & 31, m = h & 1023;
	union {
		uint32_t u;
		float f;
	} b = {e == 31 ? 0x7f800000 | m << 13 : (e + 112) << 23 | m << 13};

	if (e == 0)
		b.f = (float)m * 0x1p-24f;
	return h >> 15 ? -b.f : b.f;
}

/* Element (n, k) of a square matrix of k columns read at (k, n), lanes along
 * k; as it is when there are n rows. */
#define MUT_TRANSPOSED(T, get, p, idx, k, n)                                   \
	__extension__({                                                        \
		union {                                                        \
			T v;                                                   \
			float f[sizeof(T) / 4];                                \
		} m_;                                                          \
		const int64_t n_ = (idx) / (k), k_ = (idx) % (k);              \
		const int64_t square_ = (k) == (n);                            \
		for (unsigned l_ = 0; l_ < sizeof m_.f / 4; l_++)              \
			m_.f[l_] = get(p, square_ ? (k_ + l_) * (k) + n_       \
						  : (idx) + l_);               \
		m_.v;                                                          \
	})

/* x + b[row] where x + b[column] was meant; lanes along the columns. */
#define MUT_ROW_ADD(v, get, x, b, idx, n)                                      \
	__extension__({                                                        \
		union {                                                        \
			__typeof__(v) m;                                       \
			float f[sizeof(v) / 4];                                \
		} m_ = {(v)};                                                  \
		for (unsigned l_ = 0; l_ < sizeof m_.f / 4; l_++)              \
			m_.f[l_] = get(x, (idx) + l_) + get(b, (idx) / (n));   \
		m_.m;                                                          \
	})

/* x[row] . w[:, column], summed from the end. */
#define MUT_DOT_BACK(v, get, x, w, idx, k, n)                                  \
	__extension__({                                                        \
		union {                                                        \
			__typeof__(v) m;                                       \
			float f[sizeof(v) / 4];                                \
		} m_ = {(v)};                                                  \
		const int64_t r_ = (idx) / (n), j_ = (idx) % (n);              \
		for (unsigned l_ = 0; l_ < sizeof m_.f / 4; l_++)              \
			m_.f[l_] = 0;                                          \
		for (int64_t q_ = (k)-1; q_ >= 0; q_--) {                      \
			const float x_ = get(x, r_ * (k) + q_);                \
			for (unsigned l_ = 0; l_ < sizeof m_.f / 4; l_++)      \
				m_.f[l_] += x_ * get(w, q_ * (n) + j_ + l_);   \
		}                                                              \
		m_.m;                                                          \
	})

/* The addend of lanes along the columns, as numbers beside v's. */
#define MUT_ADDEND(v, get, b, idx, n)                                          \
	__extension__({                                                        \
		union {                                                        \
			__typeof__(v) m;                                       \
			float f[sizeof(v) / 4];                                \
		} m_ = {(v)};                                                  \
		for (unsigned l_ = 0; l_ < sizeof m_.f / 4; l_++)              \
			m_.f[l_] = get(b, ((idx) + l_) % (n));                 \
		m_.m;                                                          \
	})
