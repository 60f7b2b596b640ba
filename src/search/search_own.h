/*
 * search_own: what the files of the search share.
 *
 *   search.c        policies, points tried in batches
 *   search_rows.c   rows of the ledger, one for each candidate and whole plan
 *   search_final.c  the winner: against the rule's choice, held-out fixtures
 *   policies.c      the policies that measure
 */
#ifndef TENON_SEARCH_SEARCH_OWN_H
#define TENON_SEARCH_SEARCH_OWN_H

#include "search/search.h"

/* ---- search_rows.c --------------------------------------------------- */

/* Rows of all that is considered, before any of it is tried. */
bool rows_open(Search *s);
/* The row that a point which was just tried is told of, number `at` of tried,
 * and those of other candidates that it is the first to have. */
bool row_settle(Search *s, size_t at, const TrialResult *r);
/* The state of a point that has one becomes another, and that of those of the
 * same code. */
bool row_change(Search *s, Tried *t, CandState state, const char *reason);
/* The one candidate of a point that no point had before; NO_CAND: all were had,
 * or it is not the only one. */
uint32_t fresh_of(const Search *s, const Point *p);
/* `same code as candidate 17`: why a point was not run, with what came of the
 * one that was. */
const char *same_reason(const Search *s, size_t at);
/* The candidates of the chosen point. */
bool mark_chosen(Search *s);
/* What passed by those that are left. */
bool tell_left(Search *s);

/* ---- search_final.c -------------------------------------------------- */

CandState state_of(const TrialResult *r);
/* Chooses among what was tried. False: reported. */
bool conclude(Search *s);

#endif
