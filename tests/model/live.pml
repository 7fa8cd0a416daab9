/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* hs_live: no reference is lost, none is given back twice, none is inspected after that, and nothing
 * alive is reported dead. A table of two slots, both free; a callback that adds one sample, another that
 * adds two, and a sweeper that makes one round (a reader does the same, and changes less). An object may
 * die between any two steps. A sample passes level 0, or every level: that decides who can be displaced.
 *
 * Each slot has the reference twice, as two of its fields: the holder of a slot sees them agree.
 *
 * Broken on purpose: NO_TAG    the head of the free slots carries none
 *                    NO_CLAIM  a callback takes a full slot without compare-and-swap
 *                    EARLY     a slot is pushed before it is marked free
 *                    FORGETFUL a callback does not give back what it displaced */
#define CAPACITY 2
#define REFS 4 /* 0 is none */
#define MAX_LEVEL 1
#define PROBES 1
#define NONE 255

mtype = { FREE, BUSY, FULL };
mtype state[CAPACITY] = FREE;
byte ref[CAPACITY];
byte field[CAPACITY];
bool passes_all[CAPACITY];
byte next[CAPACITY];
byte head, tag;
byte level, count;

/* Ghosts: what is true, unknown to the code. */
bool is_made[REFS], is_alive[REFS], is_released[REFS];
bool is_taken[CAPACITY]; /* popped and not pushed */

inline release(r) {
    atomic {
        assert(r != 0 && is_made[r] && !is_released[r]);
        is_released[r] = true
    }
}

inline set_full(i) {
    assert(state[i] == BUSY && ref[i] == field[i] && ref[i] != 0);
    state[i] = FULL
}

inline push(i) {
    do
    :: atomic { seen = head; seen_tag = tag }
       next[i] = seen;
       atomic {
           if
           :: head == seen && tag == seen_tag ->
               head = i;
               is_taken[i] = false;
#ifndef NO_TAG
               tag++;
#endif
               break
           :: else
           fi
       }
    od
}

/* To a slot that is the callback's own, or NONE. */
inline pop(i) {
    i = NONE;
    do
    :: atomic { seen = head; seen_tag = tag }
       if
       :: seen == NONE -> break
       :: else
       fi;
       after = next[seen];
       atomic {
           if
           :: head == seen && tag == seen_tag ->
               head = after;
#ifndef NO_TAG
               tag++;
#endif
               i = seen;
               break
           :: else
           fi
       }
    od
}

inline fill(i) {
    ref[i] = mine;
    field[i] = mine;
    passes_all[i] = passes;
    set_full(i)
}

/* FULL to BUSY, or not. */
inline try_claim(i, is_mine) {
#ifdef NO_CLAIM
    is_mine = (state[i] == FULL);
    if
    :: is_mine -> state[i] = BUSY
    :: else
    fi
#else
    atomic {
        is_mine = (state[i] == FULL);
        if
        :: is_mine -> state[i] = BUSY
        :: else
        fi
    }
#endif
}

proctype callback(byte first_ref, last_ref) {
    byte mine, at, seen, seen_tag, after, own_level, displaced, probe;
    bool passes, is_mine;
    for (mine : first_ref .. last_ref) {
        atomic {
            is_made[mine] = true;
            is_alive[mine] = true;
            if
            :: passes = true
            :: passes = false
            fi
        }
again:
        own_level = level;
        displaced = mine; /* refused, unless a place is found */
        if
        :: own_level > 0 && !passes -> goto give_back
        :: else
        fi;
        pop(at);
        if
        :: at != NONE ->
            atomic { assert(!is_taken[at] && state[at] == FREE); is_taken[at] = true }
            state[at] = BUSY;
            count++;
            fill(at);
            displaced = 0;
            goto give_back
        :: else
        fi;
        for (probe : 1 .. PROBES) {
            if
            :: at = 0
            :: at = 1
            fi;
            try_claim(at, is_mine);
            if
            :: is_mine && own_level > 0 && !passes_all[at] ->
                assert(ref[at] == field[at]);
                displaced = ref[at];
                fill(at);
                goto give_back
            :: is_mine && (own_level == 0 || passes_all[at]) -> set_full(at)
            :: else
            fi
        }
        if
        :: own_level == MAX_LEVEL -> goto give_back
        :: else ->
            atomic {
                if
                :: level == own_level -> level++
                :: else
                fi
            }
            goto again
        fi;
give_back:
#ifdef FORGETFUL
        if
        :: displaced == mine -> release(displaced)
        :: else
        fi;
#else
        if
        :: displaced != 0 -> release(displaced)
        :: else
        fi;
#endif
        at = 0; seen = 0; seen_tag = 0; after = 0; own_level = 0; displaced = 0; is_mine = false
    }
}

/* Waits for a slot that a callback holds; is_mine: false when it is free. */
inline claim(i) {
    do
    :: try_claim(i, is_mine);
       if
       :: is_mine || state[i] == FREE -> break
       :: else
       fi
    od
}

inline set_free(i) {
    ref[i] = 0;
    field[i] = 0;
#ifdef EARLY
    count--;
    push(i);
    state[i] = FREE
#else
    state[i] = FREE;
    count--;
    push(i)
#endif
}

inline sweep() {
    level_before = level;
    i = 0;
    do
    :: i >= CAPACITY -> break
    :: else ->
        claim(i);
        if
        :: is_mine ->
            atomic {
                assert(ref[i] == field[i] && ref[i] != 0 && !is_released[ref[i]]);
                is_dead = !is_alive[ref[i]]
            }
            is_wanted = (level == 0 || passes_all[i]);
            if
            :: is_wanted && !is_dead -> set_full(i)
            :: else ->
                assert(!is_wanted || !is_alive[ref[i]]); /* the dead are dead */
                release(ref[i]);
                set_free(i)
            fi
        :: else
        fi;
        i++
    od;
    atomic {
        if
        :: level_before > 0 && count < 1 && level == level_before -> level--
        :: else
        fi
    }
}

proctype sweeper() {
    byte i, level_before, seen, seen_tag;
    bool is_mine, is_dead, is_wanted;
    sweep()
}

/* An object dies, or never. */
proctype death() {
    if
    :: is_alive[1] -> is_alive[1] = false
    :: is_alive[2] -> is_alive[2] = false
    :: _nr_pr == 2
    fi
}

init {
    byte r, i, there, held;
    atomic {
        head = 0; next[0] = 1; next[1] = NONE;
        run callback(1, 1); run callback(2, 3); run sweeper(); run death()
    }
    _nr_pr == 1;
    d_step {
        for (r : 1 .. REFS - 1) {
            there = 0;
            for (i : 0 .. CAPACITY - 1) {
                there = there + (state[i] == FULL && ref[i] == r -> 1 : 0)
            }
            /* given back, or in one place */
            assert((is_released[r] -> 1 : 0) + there == 1)
        }
        for (i : 0 .. CAPACITY - 1) {
            assert(state[i] != BUSY);
            held = held + (state[i] == FULL -> 1 : 0)
        }
        assert(count == held);
        do /* the rest is in the list of free slots, each once */
        :: head == NONE -> break
        :: else ->
            assert(state[head] == FREE && held < CAPACITY);
            held++;
            head = next[head]
        od;
        assert(held == CAPACITY)
    }
}
