/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* hs_rotation, hs_sampler_store: callbacks take three samples while the sweeper rotates the tables twice, and a control
 * thread takes a snapshot, stops sampling, and starts it again. Memory may be lacking in each step that needs some, and
 * each wait for callbacks may run out of patience.
 *
 * No callback uses tables that were freed, also where the next tables have the same generation. Freed tables have no
 * sums left, and no object refers to them. A snapshot has each sample that was added up before it, once, and of no site
 * more live objects than samples. A rotation that lacks memory changes nothing: the old tables go on.
 *
 * Taken from other models: what a wait ensures (phaser), that equal keys get equal numbers (intern), and that who holds
 * a slot of the live table holds it alone (live). These are single steps here.
 *
 * Broken on purpose: IMPATIENT   the rotation ends though the wait for callbacks answered false
 *                    RESTLESS    the same where sampling is stopped
 *                    ONCE        no last move after the callbacks have left
 *                    HASTY       objects get their new numbers before it is certain that there is memory
 *                    COPY        sums are not exchanged with 0, but read, added and then set to 0
 *                    SUMS_FIRST  sums are moved before objects
 *                    END_FIRST   new sites are looked for before objects are moved
 *                    STALE       a snapshot does not move first
 *                    DEAF        a snapshot is taken though its move lacked memory */
#define CALLBACKS 2
#define LAST_STORE 3 /* so two rotations */
#define ROUNDS 3     /* of the sweeper: one more, for a rotation that had to wait */
#define OTHER 0
#define NONE 255

/* Stores have numbers from 1 on; the generation of one is its lowest bit. */
#define AT(store, id) (((store) & 1) * 3 + (id))

bit lock;         /* HS_RANK_CONTROL and HS_RANK_SWEEP */
byte now = 1;     /* the store */
byte before;      /* its previous one; 0: none */
byte session = 1; /* the store that callbacks find; 0: sampling is off */
byte inside[LAST_STORE + 1];

/* By generation. Keys are sites, with all that belongs to them. */
byte owner[2]; /* the store whose tables there are; 0: none */
byte key[6];
byte ends[2];
byte sums[6];
byte map[3]; /* from the numbers of the previous store; 0, or the new number + 1 */

/* The live table: the last sample of each callback. */
bit generation[CALLBACKS];
byte number[CALLBACKS] = NONE;

byte counted; /* ghost: samples that were added up */

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
    for (k : first_key .. last_key) {
        atomic {
            mine = session;
            inside[mine]++
        }
        if
        :: mine != 0 ->
            intern(mine, k, id);
            d_step {
                assert(owner[mine & 1] == mine);
                sums[AT(mine, id)]++;
                counted++
            }
            d_step {
                assert(owner[mine & 1] == mine);
                generation[me] = mine & 1;
                number[me] = id;
                inside[mine]--;
                id = 0
            }
        :: else -> inside[0]--
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
            assert(sums[AT(store, i)] == 0);
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
            :: sums[AT(before, i)] != 0 -> map_one(before, now, i, is_last); moved = 0
            :: else
            fi
        }
        taken = sums[AT(before, i)];
        d_step {
            if
            :: map[i] != 0 ->
                sums[AT(now, map[i] - 1)] = sums[AT(now, map[i] - 1)] + taken;
                sums[AT(before, i)] = 0
            :: else
            fi;
            taken = 0;
            i++
        }
#else
        atomic {
            if
            :: sums[AT(before, i)] != 0 ->
                map_one(before, now, i, is_last);
                moved = 0;
                if
                :: map[i] != 0 ->
                    sums[AT(now, map[i] - 1)] = sums[AT(now, map[i] - 1)] + sums[AT(before, i)];
                    sums[AT(before, i)] = 0
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
        :: before == 0 && now < LAST_STORE -> begin_rotation()
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

/* Sampling is stopped, and begins again; between, it only pauses, or all samples are forgotten. */
inline stop_and_start() {
    session = 0;
    wait_for(inside[1] + inside[2] + inside[3] == 0, is_over);
#ifdef RESTLESS
    is_over = true;
#endif
    if
    :: is_over && before != 0 -> end_rotation()
    :: else
    fi;
    if
    :: is_over ->
        d_step {
            for (i : 0 .. 5) { sums[i] = 0 }
            for (i : 0 .. CALLBACKS - 1) { number[i] = NONE }
            i = 0;
            counted = 0
        }
    :: skip
    fi;
    is_over = false;
    session = now
}

inline take_snapshot() {
    least = counted;
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
                :: number[i] != NONE && generation[i] == (now & 1) -> live[number[i]]++
                :: else
                fi
            }
            i = 0
        }
        d_step {
            for (i : 0 .. 2) {
                assert(live[i] <= sums[AT(now, i)]);
                total = total + sums[AT(now, i)];
                live[i] = 0
            }
            assert(least <= total && total <= counted)
        }
    :: else
    fi;
    d_step { i = 0; least = 0; total = 0; has_failed = false }
}

/* One of each, in either order. */
proctype control_thread() {
    byte i, end, moved, taken, least, total;
    byte live[3];
    bool has_failed, is_over, has_read, has_stopped;
    do
    :: !has_read -> acquire(); take_snapshot(); d_step { has_read = true; lock = 0 }
    :: !has_stopped -> acquire(); stop_and_start(); d_step { has_stopped = true; lock = 0 }
    :: has_read && has_stopped -> break
    od
}

init {
    byte total, i;
    atomic {
        owner[1] = 1;
        run callback(0, 1, 2); run callback(1, 2, 2); run sweeper(); run control_thread()
    }
    _nr_pr == 1;
    d_step {
        for (i : 0 .. 5) { total = total + sums[i] }
        assert(total == counted)
    }
}
