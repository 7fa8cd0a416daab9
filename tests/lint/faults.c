/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Read by tests/english --test alone. (fault) It is
 * told. */
static const char *const nobody = "no fault: a name is no prose";

// (fault) Freed by the caller: the stack was looked
// at before.

/* Adjacent comments are two texts: to ask */
/* for itself. */
static const char *const text = "(fault) the JVM cannot "
                                "be had";

/* Code between quotes in a comment is none: don't. */
static const int asked = 'a'; /* `nobody` */

Test(lint, a_caller_is_told_why) { /* (fault) */
}
