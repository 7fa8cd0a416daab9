/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Sampler, inside: the calls between its files (hs_sampler*.c); tests include it as well. All others include
 * hs_sampler.h. */
#ifndef HS_SAMPLER_PARTS_H
#define HS_SAMPLER_PARTS_H

#include "hs_sampler.h"

/* ---- the lock ---- */

/* Takes HS_RANK_CONTROL. From now on this call may wait for callbacks and for the sweeper's thread, 5 s in total.
 * Thread: Control. */
void hs_sampler_lock(struct hs_sampler *sampler);

/* Takes it only if it is free, and returns whether it was. This call waits for 20 ms in total, in a rotation for 0.6 s.
 * The next one does the rest. Thread: the sweeper. */
bool hs_sampler_try_lock(struct hs_sampler *sampler);

/* Microseconds of that time that are left. Thread: holder of HS_RANK_CONTROL. */
int64_t hs_sampler_patience(const struct hs_sampler *sampler);

/* Publishes the state and releases HS_RANK_CONTROL: what was changed under it can be read at once. */
void hs_sampler_leave(struct hs_sampler *sampler);

/* The same, after hs_sampler_release_store. Each call that may end sampling, or take the last reason to keep tables,
 * ends here, also after a failure: a call may have switched sampling off because a duration was over.
 * Thread: holder of HS_RANK_CONTROL, in a control call. */
void hs_sampler_finish(struct hs_sampler *sampler, void *env);

/* ---- recordings ---- */

/* Is no recording open? Thread: holder of either lock. */
bool hs_sampler_is_idle(const struct hs_sampler *sampler);

/* hs_sampler_open, _pause and _close, by a caller that holds HS_RANK_CONTROL. Each fails as its public one. */
enum hs_status hs_sampler_open_locked(struct hs_sampler *sampler, void *env,
                                      struct hs_config_version config_version,
                                      const struct hs_filter *filter, uint32_t interval,
                                      int64_t duration_us, struct hs_handle *handle);
enum hs_status hs_sampler_pause_locked(struct hs_sampler *sampler, struct hs_recording *recording);
enum hs_status hs_sampler_close_locked(struct hs_sampler *sampler, struct hs_handle handle);

/* Changes the interval. `resumes`: from here on it accepts samples, in another stretch where the time of the last
 * one is up; a new interval alone begins none. Fails: as hs_sampler_open. Thread: holder of HS_RANK_CONTROL. */
enum hs_status hs_sampler_change_locked(struct hs_sampler *sampler, struct hs_handle handle,
                                        uint32_t interval, bool resumes);

/* Takes a recording out of its place, out of the samples, and frees it; after a failed drain it stays
 * lost until a drain succeeds. It accepts no more. Thread: holder of HS_RANK_CONTROL. */
void hs_sampler_remove(struct hs_sampler *sampler, struct hs_recording *recording);

/* ---- sessions, on and off ---- */

/* Makes what happens agree with what the recordings want: publishes another session, switches sampling on or off.
 * Thread: holder of HS_RANK_CONTROL. Fails: HS_NO_MEMORY, HS_VM_DEAD and as hs_sampler_open, only where sampling
 * has to be switched on; HS_NO_MEMORY also where recordings remain and a stuck callback has kept the spare session. */
enum hs_status hs_sampler_reconcile(struct hs_sampler *sampler);

/* Thread: holder of HS_RANK_CONTROL, while sampling is on. */
void hs_sampler_switch_off(struct hs_sampler *sampler);

/* Publishes another session if the time of a recording is up, so that it no longer holds the interval down, or if
 * the governor has moved the interval. Sampling stays on even if no recording is left, at the VM's own interval:
 * ending it is for a control thread, which must wait for this one.
 * Thread: the sweeper, holder of HS_RANK_CONTROL. */
void hs_sampler_renew_session(struct hs_sampler *sampler);

/* Exchanges the store for the one that follows it, as callbacks see it as well. False without memory, and
 * nothing has changed. Thread: holder of HS_RANK_CONTROL, while sampling is on. */
bool hs_sampler_exchange_store(struct hs_sampler *sampler, struct hs_store *next);

/* Keeps a session that no callback sees as the spare one, or frees it. Thread: holder of HS_RANK_CONTROL. */
void hs_sampler_recycle(struct hs_sampler *sampler, struct hs_session *session);

/* Waits, as long as the patience of this call lasts, until no callback can still see what was unpublished.
 * Then it also frees what earlier calls had to leave. False when a callback may still see it.
 * Thread: holder of HS_RANK_CONTROL alone. */
bool hs_sampler_drain(struct hs_sampler *sampler);

/* Has the VM begun to end? Then it is never called again. Thread: Any. */
bool hs_sampler_is_vm_dead(struct hs_sampler *sampler);

/* ---- the tables ---- */

/* The tables, and the spare session, unless they are there. Thread: holder of HS_RANK_CONTROL.
 * Fails: HS_NO_MEMORY. */
enum hs_status hs_sampler_need_store(struct hs_sampler *sampler);

/* Frees the tables when no recording and no keeper needs them. While sampling is off, ends a rotation, so that no older
 * tables stay until the next start. Thread: holder of HS_RANK_CONTROL. */
void hs_sampler_release_store(struct hs_sampler *sampler, void *env);

/* Makes the next generation of tables when one is due, and moves the entries still in use into it; gives
 * the one before back when no callback is in it any more. Without memory the tables stay as they are, and
 * that is noted.
 * Thread: holder of HS_RANK_CONTROL. */
void hs_sampler_rotate(struct hs_sampler *sampler, void *env);

/* Is the next generation of tables due, and allowed? The tables must be there. Thread: holder of either lock. */
bool hs_sampler_rotation_is_due(struct hs_sampler *sampler);

/* The stack cache: a new one when that is due, but not while old tables of code are there; none when lookups were given
 * up. The tables must be there. Thread: holder of HS_RANK_CONTROL. */
void hs_sampler_renew_stack_cache(struct hs_sampler *sampler);

/* ---- the sweeper's work, the state, the report ---- */

/* The work of the sweeper; `context` is the sampler. */
void hs_sampler_sweep(void *context, void *env);

/* Lets the governor look at what sampling costs, and move the interval of the default recording. It does
 * nothing where that has the interval 0 or no budget, and leaves out the time in which another recording has
 * a smaller interval. The caller publishes the session then. Without `may_shrink` the interval only grows.
 * Thread: holder of HS_RANK_CONTROL. */
void hs_sampler_govern(struct hs_sampler *sampler, bool may_shrink);

/* Of hs_sampler_status: what is in force, and the holders; the rest is 0. Thread: holder of HS_RANK_CONTROL. */
void hs_sampler_fill_in_force(struct hs_sampler *sampler,
                              int64_t values[HS_IN_FORCE_VALUES + HS_HOLD_VALUES]);

/* Before tables are made: with room for the sums of as many sites, if a report is wanted.
 * Thread: holder of both locks. Fails: HS_NO_MEMORY. */
enum hs_status hs_sampler_reserve_report(struct hs_sampler *sampler);

/* Writes a report that is due, or forgets it without tables. While tables are being exchanged, it first moves what
 * the report would miss; where that fails for want of memory, the report says how much it lacks.
 * Thread: holder of HS_RANK_SWEEP. */
void hs_sampler_write_due_report(struct hs_sampler *sampler, void *env);

#endif
