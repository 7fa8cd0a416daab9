/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* hs_label_map and hs_label_sets.
 *
 * The map: virtual threads open, read and close scopes in the one place that there is, and displace each other. Each
 * writes its own number as its state. A thread finds its own state or none.
 *
 * The sets (SETS): a callback finds a set by its word and reads it, while another thread removes it, looks at the count of
 * callbacks until it was empty once, and uses slot and memory again. The callback reads the set that it has looked for.
 *
 * Broken on purpose: NO_MARK    the owner of a place writes its state without marking the place
 *                    STATE_LAST a thread that takes a place gives it its id before its state is there
 *                    NO_LOOK    memory is used again without a look at the callbacks
 *                    NO_SERIAL  a word is the slot alone
 *                    EARLY_LOOK the look comes before the slot is emptied */
#define BUSY 16
#define ROUNDS 1

/* ---- the map ---- */

byte place;       /* 0: free; else a thread, + BUSY: its state is being written */
byte place_state; /* whose it is */

inline write_state(from) {
#ifdef STATE_LAST
    atomic { is_mine = (place == from); if :: is_mine -> place = me :: else fi }
    if
    :: is_mine -> place_state = me
    :: else
    fi
#else
    atomic { is_mine = (place == from); if :: is_mine -> place = me + BUSY :: else fi }
    if
    :: is_mine -> place_state = me; place = me
    :: else
    fi
#endif
}

inline write_again() {
#ifdef NO_MARK
    if
    :: place == me -> is_mine = true; place_state = me
    :: else -> is_mine = false
    fi
#else
    write_state(me)
#endif
}

inline read_own() {
    if
    :: place == me ->
        seen = place_state;
        if
        :: place == me -> assert(seen == me)
        :: else /* displaced meanwhile: no labels */
        fi
    :: else
    fi
}

proctype thread(byte me) {
    byte round, found, seen;
    bool is_mine;
    for (round : 1 .. ROUNDS) {
        found = place;
        if
        :: found < BUSY && found != me -> write_state(found) /* takes it, free or not */
        :: found == me -> write_again()                      /* opens a scope inside */
        :: else                                              /* BUSY: no place for this one */
        fi;
        read_own();
        if
        :: true -> write_again(); read_own()                 /* another scope, if it has the place still */
        :: atomic { if :: place == me -> place = 0 :: else fi } /* closes the last one */
        :: true                                              /* dies */
        fi
    }
}

/* ---- the sets: one slot, two blocks of memory ---- */

byte slot;          /* the memory that it leads to; 0: none */
byte serial[3];     /* of the set in each */
byte content[3];
byte inside;        /* callbacks */

#ifdef NO_SERIAL
#define IS_IT(memory, word) true
#else
#define IS_IT(memory, word) (serial[memory] == word)
#endif

proctype callback(byte word) {
    byte found;
    inside++;
    found = slot;
    if
    :: found != 0 && IS_IT(found, word) ->
        assert(content[found] == word);
        assert(content[found] == word) /* again, later */
    :: else
    fi;
    inside--
}

inline await_empty() {
#ifndef NO_LOOK
    inside == 0
#else
    skip
#endif
}

/* Sets 1, 2 and 3 follow each other in the slot. Each second one has the memory of the first. */
proctype owner() {
    byte word, memory;
    for (word : 1 .. 3) {
        memory = 1 + word % 2;
        serial[memory] = 0;
        content[memory] = 0;
        content[memory] = word;
        serial[memory] = word;
        slot = memory;
#ifdef EARLY_LOOK
        await_empty();
        slot = 0;
#else
        slot = 0;
        await_empty();
#endif
        /* Freed: others write there. */
        content[memory] = 0
    }
}

init {
#ifdef SETS
    atomic { run owner(); run callback(1); run callback(2) }
#else
    atomic { run thread(1); run thread(2); run thread(3) }
#endif
}
