/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* hs_interval: a change is announced, and the thread that finds it finishes it. A control thread changes the
 * interval twice, and in between lets all callbacks leave (the phaser, here a count that it waits
 * for). Each of two threads draws a step with the VM's word and then asks with which interval.
 *
 * Checked: a thread gets a wrong interval at most once per change; in the end the VM has the
 * interval in force, and nothing is announced.
 * With NO_WAIT (not a mistake: the header allows for it) only the end is checked.
 *
 * Broken on purpose: SILENT    the VM gets it first and nothing is announced
 *                    NO_RETRY  a late finisher does not look whether the interval has changed since */
#define CHANGES 2
#define STEPS 3

byte vm_word;
byte before, now; /* one word */
byte inside;

/* finish(word): tells the VM until the word stays as it was. */
inline finish(word_before, word_now) {
    do
    :: vm_word = word_now;
       atomic {
           if
           :: before == word_before && now == word_now -> before = now; break
#ifdef NO_RETRY
           :: else -> break
#else
           :: else ->
               if
               :: now == word_now -> break
               :: else -> word_before = before; word_now = now
               fi
#endif
           fi
       }
    od
}

proctype callback() {
    byte step, drawn, told, word_before, word_now, wrong;
    for (step : 1 .. STEPS) {
        drawn = vm_word; /* the VM draws, then calls back */
        inside++;
        atomic { word_before = before; word_now = now }
        told = word_before;
        if
        :: word_before != word_now -> finish(word_before, word_now)
        :: else
        fi;
        inside--;
        wrong = wrong + (told != drawn -> 1 : 0);
#ifndef NO_WAIT
        assert(wrong <= CHANGES);
#endif
        drawn = 0; told = 0; word_before = 0; word_now = 0 /* fewer states */
    }
}

proctype control() {
    byte change, word_before, word_now;
    for (change : 1 .. CHANGES) {
#ifdef SILENT
        vm_word = change;
        atomic { before = change; now = change }
#else
        word_before = now;
        word_now = change;
        atomic { before = word_before; now = word_now }
        finish(word_before, word_now);
#endif
#ifndef NO_WAIT
        inside == 0
#endif
    }
}

init {
    atomic { run callback(); run callback(); run control() }
    _nr_pr == 1;
    assert(before == now && now == CHANGES && vm_word == now)
}
