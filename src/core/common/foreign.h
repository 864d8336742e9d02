/*
 * foreign.h - what are these bytes? For the errors of everything that reads sketches from outside.
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include "core/sketch.h"

/* What bytes look like, with its article, and the function that reads them or what else to do. */
typedef struct ForeignMark {
    const char *what;
    const char *reader; /* one, or two with "or" between them; NULL if nothing reads them: then */
    const char *advice; /* a clause */
    char text[64];      /* for `what` */
    char cast[32];      /* for `reader` */
} ForeignMark;

/* Returns false if the bytes look like nothing that is known. */
extern bool foreign_mark(SketchBytes input, const SketchMemory *memory, ForeignMark *mark);

#endif
