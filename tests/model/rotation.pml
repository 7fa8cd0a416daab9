/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* hs_rotation, hs_sampler_store: callbacks take three samples while the sweeper rotates the tables twice, and a control
 * thread takes a snapshot, pauses sampling, and starts it again; with RESET it resets the recording twice instead. A
 * rotation may be open in each of these, and a snapshot may come in the pause. Memory may be lacking in each step that
 * needs some, and each wait for callbacks may run out of patience.
 *
 * No callback uses tables that were freed, also where the next tables have the same generation. Freed tables have no
 * sums left, and no object refers to them. A snapshot has each sample that was added up before it, once, and of no site
 * more live objects than samples. A rotation that lacks memory changes nothing: the old tables go on. No callback adds
 * to a recording that was freed by a reset, and nothing of that is in the recording that follows.
 *
 * Taken from other models: what a wait ensures (phaser), that equal keys get equal numbers (intern), and that who holds
 * a slot of the live table holds it alone (live). These are single steps here.
 *
 * Broken on purpose: IMPATIENT   the rotation ends though the wait for callbacks returned false
 *                    RESTLESS    the same where sampling is stopped
 *                    ONCE        no last move after the callbacks have left
 *                    HASTY       objects get their new numbers before it is certain that there is memory
 *                    COPY        sums are not exchanged with 0, but read, added and then set to 0
 *                    SUMS_FIRST  sums are moved before objects
 *                    END_FIRST   new sites are looked for before objects are moved
 *                    STALE       a snapshot does not move first
 *                    DEAF        a snapshot is taken though its move lacked memory
 *                    UNMOVED     a pause ends an open rotation without the last move
 *                    EAGER       a reset frees the old recording though the wait for callbacks returned false
 *                    IN_PLACE    a reset sets the sums of the recording to 0 and gives callbacks no other one
 *                    KEPT        a reset leaves live objects to the old recording */
#define CALLBACKS 2
#ifdef RESET
#define LAST_STORE 2 /* one rotation: the next finds no other recordings */
#else
#define LAST_STORE 3 /* two rotations */
#endif
#define ROUNDS LAST_STORE /* of the sweeper: one more, for a rotation that had to wait */
#define OTHER 0
#define NONE 255

/* Stores have numbers from 1 on; the generation of one is its lowest bit. */
#define AT(store, id) (((store) & 1) * 3 + (id))

/* There are two recordings in turn, each with sums for both generations. */
#define SUM(recording, store, id) sums[(recording) * 6 + AT(store, id)]

bit lock;         /* HS_RANK_CONTROL and HS_RANK_SWEEP */
byte now = 1;     /* the store */
byte before;      /* its previous one; 0: none */
byte session = 1; /* the store that callbacks find; 0: sampling is off */
byte inside[LAST_STORE + 1];

bit open;             /* the recording that callbacks find, too */
bool is_there[2]; /* not freed yet; one that a callback may still use is lost until that has left */
byte users[2];

/* By generation. Keys are sites, with all that belongs to them. */
byte owner[2]; /* the store whose tables there are; 0: none */
byte key[6];
byte ends[2];
byte sums[12];
byte map[3]; /* from the numbers of the previous store; 0, or the new number + 1 */

/* The live table: the last sample of each callback. */
bit generation[CALLBACKS];
byte number[CALLBACKS] = NONE;
bit recording[CALLBACKS];

byte counted[2]; /* ghost: samples that were added up, by recording */

inline acquire() {
    atomic { lock == 0; lock = 1 }
}

inline intern(store, k, id) {
    d_step {
        assert(owner[(store) & 1] == store);
        id = 1;
        do
        :: id > ends[(store) & 1] || key[AT(store, id)] == k -> break
        :: else -> id++
        od;
        if
        :: id > ends[(store) & 1] -> ends[(store) & 1] = id; key[AT(store, id)] = k
        :: else
        fi
    }
}

proctype callback(byte me, first_key, last_key) {
    byte mine, id, k;
    bit its;
    for (k : first_key .. last_key) {
        atomic {
            mine = session;
            its = open;
            inside[mine]++;
            users[its]++
        }
        if
        :: mine != 0 ->
            intern(mine, k, id);
            d_step {
                assert(owner[mine & 1] == mine);
                assert(is_there[its]);
                SUM(its, mine, id)++;
                counted[its]++
            }
            d_step {
                assert(owner[mine & 1] == mine);
                assert(is_there[its]);
                generation[me] = mine & 1;
                number[me] = id;
                recording[me] = its;
                inside[mine]--;
                users[its]--;
                id = 0;
                its = 0
            }
        :: else -> d_step { inside[0]--; users[its]--; its = 0 }
        fi
    }
}

/* ---- the holder of a lock ---- */

inline wait_for(condition, is_over) {
    if
    :: condition -> is_over = true
    :: is_over = false
    fi
}

inline free_tables(store) {
    d_step {
        owner[(store) & 1] = 0;
        ends[(store) & 1] = 0;
        for (i : 0 .. 2) {
            assert(SUM(open, store, i) == 0);
            key[AT(store, i)] = 0;
            map[i] = 0
        }
        for (i : 0 .. CALLBACKS - 1) {
            assert(number[i] == NONE || generation[i] != ((store) & 1))
        }
        i = 0
    }
}

/* In one step with what follows. */
inline map_one(from, to, id, is_last) {
    if
    :: map[id] != 0
    :: map[id] == 0 && id == OTHER -> map[id] = OTHER + 1
    :: map[id] == 0 && id != OTHER -> intern(to, key[AT(from, id)], moved); map[id] = moved + 1
    :: map[id] == 0 && id != OTHER && is_last -> map[id] = OTHER + 1
    :: map[id] == 0 && id != OTHER && !is_last -> has_failed = true
    fi
}

inline move_objects(from, to, is_last) {
    i = 0;
    do
    :: i == CALLBACKS -> i = 0; break
    :: i < CALLBACKS ->
        atomic {
            if
            :: number[i] != NONE && generation[i] == ((from) & 1) ->
                map_one(from, to, number[i], is_last);
                if
                :: map[number[i]] != 0 ->
                    number[i] = map[number[i]] - 1;
                    generation[i] = (to) & 1
                :: else
                fi
            :: else
            fi;
            moved = 0;
            i++
        }
    od
}

inline move_sums(is_last) {
    i = 0;
    do
    :: i > end -> i = 0; break
    :: i <= end ->
#ifdef COPY
        atomic {
            if
            :: SUM(open, before, i) != 0 -> map_one(before, now, i, is_last); moved = 0
            :: else
            fi
        }
        taken = SUM(open, before, i);
        d_step {
            if
            :: map[i] != 0 ->
                SUM(open, now, map[i] - 1) = SUM(open, now, map[i] - 1) + taken;
                SUM(open, before, i) = 0
            :: else
            fi;
            taken = 0;
            i++
        }
#else
        atomic {
            if
            :: SUM(open, before, i) != 0 ->
                map_one(before, now, i, is_last);
                moved = 0;
                if
                :: map[i] != 0 ->
                    SUM(open, now, map[i] - 1) = SUM(open, now, map[i] - 1) + SUM(open, before, i);
                    SUM(open, before, i) = 0
                :: else
                fi
            :: else
            fi;
            i++
        }
#endif
    od
}

inline move(is_last) {
    has_failed = false;
    if
    :: before != 0 ->
#if defined(SUMS_FIRST)
        end = ends[before & 1];
        move_sums(is_last);
        move_objects(before, now, is_last)
#elif defined(END_FIRST)
        end = ends[before & 1];
        move_objects(before, now, is_last);
        move_sums(is_last)
#else
        move_objects(before, now, is_last);
        end = ends[before & 1];
        move_sums(is_last)
#endif
        ;
        end = 0
    :: else
    fi
}

/* With no callback in the previous store. */
inline end_rotation() {
#ifndef ONCE
    move(true);
    assert(!has_failed);
#endif
    free_tables(before);
    before = 0
}

/* All sites of live objects get numbers in the new tables, before anyone sees those. */
inline begin_rotation() {
    has_failed = false;
    if
    :: owner[(now + 1) & 1] = now + 1;
#ifdef HASTY
        move_objects(now, now + 1, false);
#else
        i = 0;
        do
        :: i == CALLBACKS -> i = 0; break
        :: i < CALLBACKS ->
            atomic {
                if
                :: number[i] != NONE && number[i] != OTHER -> map_one(now, now + 1, number[i], false)
                :: else
                fi;
                moved = 0;
                i++
            }
        od;
#endif
        if
        :: has_failed
        :: has_failed = true /* no memory for a session */
        :: !has_failed
        fi;
        if
        :: has_failed -> free_tables(now + 1)
        :: else -> d_step { before = now; now++; session = now }
        fi
    :: skip /* no memory for tables */
    fi;
    has_failed = false
}

proctype sweeper() {
    byte round, i, end, moved, taken;
    bool has_failed, is_over;
    for (round : 1 .. ROUNDS) {
        acquire();
        if
        :: before == 0 && now < LAST_STORE && session != 0 -> begin_rotation()
        :: else
        fi;
        if
        :: before != 0 ->
            wait_for(inside[before] == 0, is_over);
#ifdef IMPATIENT
            is_over = true;
#endif
            if
            :: is_over -> end_rotation()
            :: else
            fi
        :: else
        fi;
        d_step { lock = 0; is_over = false }
    }
}

/* What has come in the old tables is moved for the last time, if no callback is there. Or the recording is closed, and
 * its tables are kept for the next one. */
inline pause() {
    session = 0;
    wait_for(inside[1] + inside[2] + inside[LAST_STORE] == 0, is_over);
#ifdef RESTLESS
    is_over = true;
#endif
    if
    :: is_over && before != 0 ->
#ifdef UNMOVED
        free_tables(before);
        before = 0
#else
        end_rotation()
#endif
    :: else
    fi;
    if
    :: is_over ->
        d_step {
            for (i : 0 .. 11) { sums[i] = 0 }
            for (i : 0 .. CALLBACKS - 1) { number[i] = NONE }
            i = 0;
            counted[open] = 0
        }
    :: skip
    fi;
    is_over = false
}

/* No callback uses the recording that was closed. What such a one tracked late is forgotten. */
inline free_lost() {
    d_step {
        is_there[1 - open] = false;
        for (i : 0 .. 5) { sums[(1 - open) * 6 + i] = 0 }
#ifndef KEPT
        for (i : 0 .. CALLBACKS - 1) {
            if
            :: number[i] != NONE && recording[i] != open -> number[i] = NONE; generation[i] = 0
            :: else
            fi
        }
#endif
        i = 0
    }
}

/* Another recording takes the place of the open one. Without one that is free, nothing happens. */
inline reset() {
#ifdef IN_PLACE
    d_step {
        for (i : 0 .. 11) { sums[i] = 0 }
        for (i : 0 .. CALLBACKS - 1) { number[i] = NONE }
        i = 0;
        counted[open] = 0
    }
#else
    if
    :: !is_there[1 - open] ->
        d_step {
            open = 1 - open;
            is_there[open] = true;
            counted[open] = 0
        }
        wait_for(users[1 - open] == 0, is_over);
#ifdef EAGER
        is_over = true;
#endif
        d_step {
            for (i : 0 .. CALLBACKS - 1) {
                if
#ifndef KEPT
                :: number[i] != NONE && recording[i] != open -> number[i] = NONE; generation[i] = 0
#endif
                :: else
                fi
            }
            i = 0
        }
        if
        :: is_over -> free_lost()
        :: else
        fi;
        is_over = false
    :: else
    fi
#endif
}

inline take_snapshot() {
    least = counted[open];
#ifndef STALE
    move(false);
#endif
#ifdef DEAF
    has_failed = false;
#endif
    if
    :: !has_failed ->
        d_step {
            for (i : 0 .. CALLBACKS - 1) {
                if
                :: number[i] != NONE && generation[i] == (now & 1) && recording[i] == open ->
                    live[number[i]]++
                :: else
                fi
            }
            i = 0
        }
        d_step {
            for (i : 0 .. 2) {
                assert(live[i] <= SUM(open, now, i));
                total = total + SUM(open, now, i);
                live[i] = 0
            }
            assert(least <= total && total <= counted[open])
        }
    :: else
    fi;
    d_step { i = 0; least = 0; total = 0; has_failed = false }
}

/* A snapshot, and two other steps, in any order. */
proctype control_thread() {
    byte i, end, moved, taken, least, total, steps;
    byte live[3];
    bool has_failed, is_over, has_read;
    do
    :: !has_read -> acquire(); take_snapshot(); d_step { has_read = true; lock = 0 }
#ifdef RESET
    :: steps < 2 ->
        acquire();
        if
        :: is_there[1 - open] && users[1 - open] == 0 -> free_lost()
        :: else
        fi;
        reset();
        d_step { steps++; lock = 0 }
#else
    :: steps == 0 -> acquire(); pause(); d_step { steps = 1; lock = 0 }
    :: steps == 1 -> acquire(); session = now; d_step { steps = 2; lock = 0 }
#endif
    :: has_read && steps == 2 -> break
    od
}

init {
    byte total, i;
    atomic {
        owner[1] = 1;
        is_there[0] = true;
        run callback(0, 1, 2); run callback(1, 2, 2); run sweeper(); run control_thread()
    }
    _nr_pr == 1;
    d_step {
        for (i : 0 .. 5) { total = total + sums[open * 6 + i] }
        assert(total == counted[open])
    }
}
