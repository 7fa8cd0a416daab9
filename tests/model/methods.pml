/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* hs_methods, one slot of the cache: what a reader finds belongs to its key. Two writers and a reader;
 * key and value are two words, equal when they belong together. A slot begins empty (0).
 *
 * Broken on purpose: NO_SECOND_LOOK  the reader does not read the sequence number again
 *                    NO_CLAIM        a writer makes the number odd without compare-and-swap
 *                    EVEN            a writer does not make it odd at all */
byte sequence, key, value;

proctype writer(byte mine) {
    byte seen;
    seen = sequence;
#ifdef NO_CLAIM
    if
    :: seen % 2 == 0 -> sequence = seen + 1
    :: else -> goto done
    fi;
#else
    atomic {
        if
#ifdef EVEN
        :: seen % 2 == 0 && sequence == seen
#else
        :: seen % 2 == 0 && sequence == seen -> sequence = seen + 1
#endif
        :: else -> goto done /* another thread is at it: gives up */
        fi
    }
#endif
    key = mine;
    value = mine;
    sequence = seen + 2;
done:
}

proctype reader() {
    byte round, before, found_key, found_value, after;
    for (round : 1 .. 2) {
        before = sequence;
        found_key = key;
        found_value = value;
#ifdef NO_SECOND_LOOK
        after = before;
#else
        after = sequence;
#endif
        assert(before != after || before % 2 != 0 || found_key == found_value);
    }
}

init {
    atomic { run writer(1); run writer(2); run writer(3); run reader() }
}
