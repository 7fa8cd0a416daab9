/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* hs_intern: equal keys get equal numbers, different keys different ones, and who finds a number finds
 * its key whole. Three threads put keys of one probe sequence, two of them the same key, and look theirs
 * up again; the table has numbers for two, so one may be refused. A key is two words, both equal to it.
 * A walk through `entries`, as a snapshot makes it, sees only whole keys.
 *
 * Broken on purpose: EARLY     the entry is published before its key is written
 *                    NO_PROBE  who has lost a slot takes the next free one without looking again
 *                    NO_CLAIM  a free slot is taken without compare-and-swap */
#define MAX 2
#define SLOTS 4 /* twice as many as keys: there is always a free one */
#define THREADS 3
#define NONE 0

byte next_id = 1;
byte slots[SLOTS];        /* ids */
byte first[THREADS + 2];  /* the words of the key in memory of number i */
byte second[THREADS + 2];
byte entries[MAX + 1];    /* 0, or the number of a memory + 1 */
byte id_of[THREADS];      /* what each thread got */
bool is_done[THREADS];
byte key_of[THREADS];

/* From `at` on: to the key (found is its id) or to a free slot (found is 0). */
inline probe(key, at, found) {
    do
    :: found = slots[at];
       if
       :: found == 0 -> break
       :: else ->
           memory = entries[found];
           if
           :: memory != NONE && first[memory - 1] == key ->
               assert(second[memory - 1] == key);
               break
           :: else -> at = (at + 1) % SLOTS
           fi
       fi
    od
}

proctype put(byte me) {
    byte at, found, memory, mine, key;
    key = key_of[me];
    probe(key, at, found);
    if
    :: found != 0 -> goto done
    :: else
    fi;
    /* prepare: memory is this thread's own (take() gives each a piece of its own). */
    if
    :: next_id > MAX -> goto done
    :: else
    fi;
    atomic { mine = next_id; next_id++ }
    if
    :: mine > MAX -> next_id--; goto done
    :: else
    fi;
#ifdef EARLY
    entries[mine] = me + 1;
    first[me] = key;
    second[me] = key;
#else
    first[me] = key;
    second[me] = key;
    entries[mine] = me + 1;
#endif
    do
    ::
#ifdef NO_CLAIM
       if
       :: slots[at] == 0 -> slots[at] = mine; found = mine; goto done
       :: else
       fi;
#else
       atomic {
           if
           :: slots[at] == 0 -> slots[at] = mine; found = mine; goto done
           :: else
           fi
       }
#endif
#ifdef NO_PROBE
       at = (at + 1) % SLOTS
#else
       probe(key, at, found);
       if
       :: found != 0 -> entries[mine] = NONE; goto done
       :: else
       fi
#endif
    od;
done:
    if
    :: found != 0 -> /* once answered, always found again */
        id_of[me] = found;
        at = 0;
        probe(key, at, found);
        assert(found == id_of[me])
    :: else
    fi;
    is_done[me] = true
}

proctype walk() {
    byte id, memory;
    for (id : 1 .. MAX) {
        memory = entries[id];
        if
        :: memory != NONE -> assert(first[memory - 1] != 0 && first[memory - 1] == second[memory - 1])
        :: else
        fi
    }
}

init {
    atomic {
        key_of[0] = 1; key_of[1] = 1; key_of[2] = 2;
        run put(0); run put(1); run put(2); run walk()
    }
    is_done[0] && is_done[1] && is_done[2];
    assert(id_of[0] == 0 || id_of[1] == 0 || id_of[0] == id_of[1]);
    assert(id_of[2] == 0 || (id_of[2] != id_of[0] && id_of[2] != id_of[1]));
    assert(next_id <= MAX + 1)
}
