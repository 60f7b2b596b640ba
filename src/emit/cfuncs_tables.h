/*
 * cfuncs_tables: piecewise polynomials, made by tools/minimax.
 *
 * f(k h + t) = max(c0, t) + c1 t + ... for |t| <= h / 2 and k = 0 to 31; only
 * where k = 0 is c0 less than t, so that the result is accurate near 0.
 * NAME_nLOW holds the coefficients of t^n for k up to 15, NAME_nHIGH the
 * others.
 */
#ifndef TENON_EMIT_CFUNCS_TABLES_H
#define TENON_EMIT_CFUNCS_TABLES_H

/* clang-format off */
/* tanh: 24.9 bits, h = 0x1.3dcdp-2f = 1 / 0x1.9c6f3ap1f */
#define TANH_6LOW \
	"\t\t-0x1.8fecdp-6f, -0x1.23171ap-4f, -0x1.a1b4eep-6f, 0x1.09a108p-6f,\n" \
	"\t\t0x1.f9b828p-7f, 0x1.7c25p-8f, 0x1.97a3b2p-11f, -0x1.50e19ap-11f,\n" \
	"\t\t-0x1.7cd362p-11f, -0x1.0d4304p-11f, -0x1.490ddcp-12f, -0x1.795e36p-13f,\n" \
	"\t\t-0x1.a395bp-14f, -0x1.cb319cp-15f, -0x1.f2638ep-16f, -0x1.0d46ecp-16f\n"
#define TANH_6HIGH \
	"\t\t-0x1.224bap-17f, -0x1.388f9cp-18f, -0x1.504eacp-19f, -0x1.69ba04p-20f,\n" \
	"\t\t-0x1.84fdd2p-21f, -0x1.a24484p-22f, -0x1.c1b8dp-23f, -0x1.e386e6p-24f,\n" \
	"\t\t-0x1.03eeacp-24f, -0x1.1776d2p-25f, -0x1.2c7654p-26f, -0x1.430984p-27f,\n" \
	"\t\t-0x1.5b4ecep-28f, -0x1.7566dap-29f, -0x1.9174bcp-30f, -0x1.af9e2ep-31f\n"
#define TANH_5LOW \
	"\t\t0x1.19a9fp-3f, 0x1.7c4ad8p-5f, -0x1.b45f14p-5f, -0x1.b60194p-5f,\n" \
	"\t\t-0x1.4a9202p-6f, -0x1.ae16e6p-11f, 0x1.28b7aap-8f, 0x1.1a294ep-8f,\n" \
	"\t\t0x1.80b26ap-9f, 0x1.d02744p-10f, 0x1.08b2fp-10f, 0x1.258c04p-11f,\n" \
	"\t\t0x1.40d69cp-12f, 0x1.5bfcf2p-13f, 0x1.77e5fp-14f, 0x1.952972p-15f\n"
#define TANH_5HIGH \
	"\t\t0x1.b43182p-16f, 0x1.d54e94p-17f, 0x1.f8c39cp-18f, 0x1.0f66a2p-18f,\n" \
	"\t\t0x1.23d316p-19f, 0x1.39c4cap-20f, 0x1.515a7ep-21f, 0x1.6ab4ap-22f,\n" \
	"\t\t0x1.85f5bp-23f, 0x1.a34288p-24f, 0x1.c2c2b4p-25f, 0x1.e4a09ap-26f,\n" \
	"\t\t0x1.0484e8p-26f, 0x1.1817a4p-27f, 0x1.2d22d4p-28f, 0x1.43c2cp-29f\n"
#define TANH_4LOW \
	"\t\t-0x1.5ed82p-12f, 0x1.42c2ep-3f, 0x1.1cdc8ap-3f, 0x1.709914p-5f,\n" \
	"\t\t-0x1.80e552p-7f, -0x1.9ff452p-6f, -0x1.5ab5c8p-6f, -0x1.c88f44p-7f,\n" \
	"\t\t-0x1.0fdb9ep-7f, -0x1.3449dep-8f, -0x1.54efc2p-9f, -0x1.741bcp-10f,\n" \
	"\t\t-0x1.934ce2p-11f, -0x1.b37a4ap-12f, -0x1.d5485cp-13f, -0x1.f92b5ap-14f\n"
#define TANH_4HIGH \
	"\t\t-0x1.0fbe56p-14f, -0x1.2443d8p-15f, -0x1.3a48b2p-16f, -0x1.51ee7ap-17f,\n" \
	"\t\t-0x1.6b574cp-18f, -0x1.86a6a2p-19f, -0x1.a401f8p-20f, -0x1.c39136p-21f,\n" \
	"\t\t-0x1.e57f08p-22f, -0x1.04fc96p-22f, -0x1.189862p-23f, -0x1.2dad46p-24f,\n" \
	"\t\t-0x1.4457ap-25f, -0x1.5cb5e4p-26f, -0x1.76e8d8p-27f, -0x1.9313bp-28f\n"
#define TANH_3LOW \
	"\t\t-0x1.55522ap-2f, -0x1.c46baep-3f, -0x1.4b615cp-6f, 0x1.7f88b2p-4f,\n" \
	"\t\t0x1.bd5cf8p-4f, 0x1.5250d2p-4f, 0x1.b13c4cp-5f, 0x1.fe73eap-6f,\n" \
	"\t\t0x1.20129cp-6f, 0x1.3ddd98p-7f, 0x1.5a895cp-8f, 0x1.775d8p-9f,\n" \
	"\t\t0x1.953058p-10f, 0x1.b4922ep-11f, 0x1.d5ea3ep-12f, 0x1.f988ecp-13f\n"
#define TANH_3HIGH \
	"\t\t0x1.0fd95cp-13f, 0x1.24537p-14f, 0x1.3a51aep-15f, 0x1.51f3a6p-16f,\n" \
	"\t\t0x1.6b5a4p-17f, 0x1.86a85p-18f, 0x1.a402e8p-19f, 0x1.c391b6p-20f,\n" \
	"\t\t0x1.e57f46p-21f, 0x1.04fca4p-21f, 0x1.189862p-22f, 0x1.2dad42p-23f,\n" \
	"\t\t0x1.445796p-24f, 0x1.5cb5d8p-25f, 0x1.76e8c8p-26f, 0x1.93139ep-27f\n"
#define TANH_2LOW \
	"\t\t-0x1.5915cap-23f, -0x1.181e1ep-2f, -0x1.88fb26p-2f, -0x1.5c7f7ep-2f,\n" \
	"\t\t-0x1.ece372p-3f, -0x1.33e256p-3f, -0x1.67324ap-4f, -0x1.93a6bp-5f,\n" \
	"\t\t-0x1.bc771ap-6f, -0x1.e40bb4p-7f, -0x1.0603a6p-7f, -0x1.1ac038p-8f,\n" \
	"\t\t-0x1.309a8cp-9f, -0x1.47d77ep-10f, -0x1.60ad5p-11f, -0x1.7b4ac2p-12f\n"
#define TANH_2HIGH \
	"\t\t-0x1.97db5ap-13f, -0x1.b689fcp-14f, -0x1.d7827ap-15f, -0x1.faf2a6p-16f,\n" \
	"\t\t-0x1.10858p-16f, -0x1.24ff9ep-17f, -0x1.3b0358p-18f, -0x1.52ae58p-19f,\n" \
	"\t\t-0x1.6c207cp-20f, -0x1.877cp-21f, -0x1.a4e5aap-22f, -0x1.c48508p-23f,\n" \
	"\t\t-0x1.e6849ap-24f, -0x1.058908p-24f, -0x1.192f4ap-25f, -0x1.2e4f76p-26f\n"
#define TANH_1LOW \
	"\t\t0x1.b331a8p-32f, 0x1.d1afdep-1f, 0x1.643508p-1f, 0x1.dcaf64p-2f,\n" \
	"\t\t0x1.235abep-2f, 0x1.50d35cp-3f, 0x1.78f612p-4f, 0x1.9e42ecp-5f,\n" \
	"\t\t0x1.c2b52ep-6f, 0x1.e7b04p-7f, 0x1.071288p-7f, 0x1.1b5d36p-8f,\n" \
	"\t\t0x1.30f56cp-9f, 0x1.480c0ep-10f, 0x1.60cbb4p-11f, 0x1.7b5c52p-12f\n"
#define TANH_1HIGH \
	"\t\t0x1.97e582p-13f, 0x1.b68fdap-14f, 0x1.d785dep-15f, 0x1.faf49cp-16f,\n" \
	"\t\t0x1.108612p-16f, 0x1.24fff2p-17f, 0x1.3b0388p-18f, 0x1.52ae74p-19f,\n" \
	"\t\t0x1.6c208ep-20f, 0x1.877c0ap-21f, 0x1.a4e5bp-22f, 0x1.c4850cp-23f,\n" \
	"\t\t0x1.e6849ap-24f, 0x1.05890ap-24f, 0x1.192f4ap-25f, 0x1.2e4f76p-26f\n"
#define TANH_0LOW \
	"\t\t0, 0x1.33f9ccp-2f, 0x1.1a6dbcp-1f, 0x1.7650f2p-1f,\n" \
	"\t\t0x1.b1142ep-1f, 0x1.d401bap-1f, 0x1.e7df12p-1f, 0x1.f2e2eap-1f,\n" \
	"\t\t0x1.f8e898p-1f, 0x1.fc2cf8p-1f, 0x1.fdf0ccp-1f, 0x1.fee454p-1f,\n" \
	"\t\t0x1.ff676ep-1f, 0x1.ffadf6p-1f, 0x1.ffd3e4p-1f, 0x1.ffe84ap-1f\n"
#define TANH_0HIGH \
	"\t\t0x1.fff34p-1f, 0x1.fff926p-1f, 0x1.fffc5p-1f, 0x1.fffe06p-1f,\n" \
	"\t\t0x1.fffefp-1f, 0x1.ffff6ep-1f, 0x1.ffffb2p-1f, 0x1.ffffd6p-1f,\n" \
	"\t\t0x1.ffffeap-1f, 0x1.fffff4p-1f, 0x1.fffffap-1f, 0x1.fffffcp-1f,\n" \
	"\t\t0x1.fffffep-1f, 0x1.fffffep-1f, 0x1p0f, 0x1p0f\n"
/* erf: 24.3 bits, h = 0x1.0612p-3f = 1 / 0x1.f423fep2f */
#define ERF_5LOW \
	"\t\t0x1.cc4cep-4f, 0x1.a9d82ap-4f, 0x1.42b9dcp-4f, 0x1.604186p-5f,\n" \
	"\t\t0x1.060e88p-8f, -0x1.f8c182p-6f, -0x1.c908acp-5f, -0x1.17442ap-4f,\n" \
	"\t\t-0x1.178684p-4f, -0x1.e06844p-5f, -0x1.62ecc2p-5f, -0x1.af84cp-6f,\n" \
	"\t\t-0x1.65dde8p-7f, 0x1.f21c7ap-11f, 0x1.198d1ap-7f, 0x1.93d68ep-7f\n"
#define ERF_5HIGH \
	"\t\t0x1.ab85d4p-7f, 0x1.8419a6p-7f, 0x1.3da4bcp-7f, 0x1.dfd728p-8f,\n" \
	"\t\t0x1.52d02ap-8f, 0x1.c2e056p-9f, 0x1.1c3676p-9f, 0x1.54bb8ep-10f,\n" \
	"\t\t0x1.85884p-11f, 0x1.a98d08p-12f, 0x1.bcff74p-13f, 0x1.be013p-14f,\n" \
	"\t\t0x1.ace904p-15f, 0x1.8c1f42p-16f, 0x1.5f9ae4p-17f, 0x1.2c23bp-18f\n"
#define ERF_4LOW \
	"\t\t0x1.230e2p-15f, 0x1.1f28c2p-4f, 0x1.085b0ep-3f, 0x1.588c6cp-3f,\n" \
	"\t\t0x1.76ff9cp-3f, 0x1.6473fcp-3f, 0x1.2a593ep-3f, 0x1.af5eeep-4f,\n" \
	"\t\t0x1.f44b2ap-5f, 0x1.48d9a2p-6f, -0x1.a140a8p-7f, -0x1.1ec3c8p-5f,\n" \
	"\t\t-0x1.7f299ep-5f, -0x1.977f9p-5f, -0x1.7ca7d8p-5f, -0x1.444efap-5f\n"
#define ERF_4HIGH \
	"\t\t-0x1.00bf5p-5f, -0x1.7dd1ep-6f, -0x1.0c78dap-6f, -0x1.66a8dcp-7f,\n" \
	"\t\t-0x1.c8ab16p-8f, -0x1.15c42cp-8f, -0x1.436f32p-9f, -0x1.6903d2p-10f,\n" \
	"\t\t-0x1.82ba44p-11f, -0x1.8df646p-12f, -0x1.89b646p-13f, -0x1.76b7fcp-14f,\n" \
	"\t\t-0x1.574b6ep-15f, -0x1.2ee1eap-16f, -0x1.01759ap-17f, -0x1.a5d9f2p-19f\n"
#define ERF_3LOW \
	"\t\t-0x1.812784p-2f, -0x1.6e7da2p-2f, -0x1.397af8p-2f, -0x1.d4d272p-3f,\n" \
	"\t\t-0x1.1a2916p-3f, -0x1.72e456p-5f, 0x1.31dba8p-5f, 0x1.a1a1p-4f,\n" \
	"\t\t0x1.28065cp-3f, 0x1.51ef14p-3f, 0x1.54cabp-3f, 0x1.3aacd2p-3f,\n" \
	"\t\t0x1.0ed1bap-3f, 0x1.b6ef72p-4f, 0x1.51192ep-4f, 0x1.ecd216p-5f\n"
#define ERF_3HIGH \
	"\t\t0x1.57ee2cp-5f, 0x1.cb59bp-6f, 0x1.260882p-6f, 0x1.694d4ep-7f,\n" \
	"\t\t0x1.aa944ep-8f, 0x1.e45a1ep-9f, 0x1.08a082p-9f, 0x1.16718ep-10f,\n" \
	"\t\t0x1.1a441p-11f, 0x1.13cb0cp-12f, 0x1.03d1e4p-13f, 0x1.d82a2ap-15f,\n" \
	"\t\t0x1.9de96cp-16f, 0x1.5e25dep-17f, 0x1.1de724p-18f, 0x1.c2bc6ap-20f\n"
#define ERF_2LOW \
	"\t\t0x1.273edap-27f, -0x1.22e952p-3f, -0x1.14f746p-2f, -0x1.7eca2cp-2f,\n" \
	"\t\t-0x1.c71ccap-2f, -0x1.eaefcep-2f, -0x1.ec048p-2f, -0x1.cff524p-2f,\n" \
	"\t\t-0x1.9ec2ep-2f, -0x1.613a7ap-2f, -0x1.1f89b4p-2f, -0x1.c083c8p-3f,\n" \
	"\t\t-0x1.4fbd16p-3f, -0x1.e310dep-4f, -0x1.4e5598p-4f, -0x1.bd9886p-5f\n"
#define ERF_2HIGH \
	"\t\t-0x1.1e18e4p-5f, -0x1.6227aap-6f, -0x1.a6cf2ep-7f, -0x1.e70056p-8f,\n" \
	"\t\t-0x1.0eae5ap-8f, -0x1.227906p-9f, -0x1.2cfbf8p-10f, -0x1.2d3438p-11f,\n" \
	"\t\t-0x1.23292p-12f, -0x1.0fe934p-13f, -0x1.eab7d2p-15f, -0x1.abe618p-16f,\n" \
	"\t\t-0x1.689aa4p-17f, -0x1.25b9ep-18f, -0x1.ce88d8p-20f, -0x1.600de4p-21f\n"
#define ERF_1LOW \
	"\t\t0x1.06eba8p-3f, 0x1.1c2c6ap0f, 0x1.0e8d0cp0f, 0x1.f2909cp-1f,\n" \
	"\t\t0x1.bc923ap-1f, 0x1.7fa708p-1f, 0x1.406a06p-1f, 0x1.02fa4ep-1f,\n" \
	"\t\t0x1.952772p-2f, 0x1.32b53cp-2f, 0x1.c1676ap-3f, 0x1.3ea2fep-3f,\n" \
	"\t\t0x1.b5483ap-4f, 0x1.2262a6p-4f, 0x1.753eep-5f, 0x1.d04ae8p-6f\n"
#define ERF_1HIGH \
	"\t\t0x1.17786ep-6f, 0x1.459a18p-7f, 0x1.6f204p-8f, 0x1.909bdp-9f,\n" \
	"\t\t0x1.a70f8p-10f, 0x1.b06052p-11f, 0x1.aba8d6p-12f, 0x1.995dap-13f,\n" \
	"\t\t0x1.7b3ab2p-14f, 0x1.53fe14p-15f, 0x1.26fe92p-16f, 0x1.ef691cp-18f,\n" \
	"\t\t0x1.92973ep-19f, 0x1.3c9eecp-20f, 0x1.e1f8e8p-22f, 0x1.6304e6p-23f\n"
#define ERF_0LOW \
	"\t\t0, 0x1.261bc6p-3f, 0x1.21621cp-2f, 0x1.a6b65cp-2f,\n" \
	"\t\t0x1.0fcc76p-1f, 0x1.44d6c4p-1f, 0x1.71e34cp-1f, 0x1.96eb88p-1f,\n" \
	"\t\t0x1.b46248p-1f, 0x1.cb12aep-1f, 0x1.dbfbc6p-1f, 0x1.e82ea8p-1f,\n" \
	"\t\t0x1.f0b304p-1f, 0x1.f67466p-1f, 0x1.fa380ep-1f, 0x1.fc9a12p-1f\n"
#define ERF_0HIGH \
	"\t\t0x1.fe0fdp-1f, 0x1.feed7p-1f, 0x1.ff6ca4p-1f, 0x1.ffb34ep-1f,\n" \
	"\t\t0x1.ffd94ap-1f, 0x1.ffed1p-1f, 0x1.fff704p-1f, 0x1.fffbdep-1f,\n" \
	"\t\t0x1.fffe28p-1f, 0x1.ffff34p-1f, 0x1.ffffaap-1f, 0x1.ffffdep-1f,\n" \
	"\t\t0x1.fffff2p-1f, 0x1.fffffap-1f, 0x1.fffffep-1f, 0x1p0f\n"
/* clang-format on */

#endif
