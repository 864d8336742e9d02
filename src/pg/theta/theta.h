/*
 * theta.h - what the files of the type theta share.
 */
#ifndef PG_THETA_H
#define PG_THETA_H

#include "pg/shared/glue.h"

#include "core/theta/theta.h"

/* The parameter, or error 22023. */
extern unsigned theta_check_lgk(int64 lgk, int highest);

/* Error 22023 if the lgk of an aggregate is not what it was before. */
extern void theta_check_same_lgk(unsigned before, int64 now);

#endif
