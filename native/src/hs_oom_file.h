/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The file of the report on memory exhaustion.
 *
 * It may be in a folder that other users can write, and there it may have been prepared: a link to what must not be
 * overwritten, a second name of a file, a pipe, a file whose owner goes on reading it. So a new file is made,
 * or one is emptied that no other user can have put there. It allocates nothing and never waits. */
#ifndef HS_OOM_FILE_H
#define HS_OOM_FILE_H

/* Why hs_oom_file_open could not open the absolute path as things are, a constant; NULL if it could.
 * Opens and makes nothing, so that the caller that names a file knows at once. Thread: Any. */
const char *hs_oom_file_why_not(const char *path);

/* Opens the file for writing, made anew (0600) or emptied; a link is not followed. The descriptor, or -1 and
 * `*why`, a constant for hs_oom_file_complain. What is there already must be a regular file with no other name,
 * of this process's user or of root. Thread: Any. Owns: the caller closes it. */
int hs_oom_file_open(const char *path, const char **why);

/* Says on stderr that there is no report, or not all of it, and why; unless it would have to wait.
 * Thread: Any. */
void hs_oom_file_complain(const char *path, const char *why);

#endif
