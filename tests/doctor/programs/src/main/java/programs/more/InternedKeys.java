// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.google.common.collect.Interner;
import com.google.common.collect.Interners;

import java.util.StringJoiner;

/**
 * Faulty: keys of a report are interned to save memory, but their class has no {@code equals()}, so
 * that each key is a new one.
 */
public final class InternedKeys {

    private static final int ROWS = 55_000;

    /** It lives to the end: one that ended with main would no longer be a leak then. */
    private static final InternedKeys REPORT = new InternedKeys();

    private static long length;

    private final Interner<Key> keys = Interners.newStrongInterner();

    private static final class Key {
        private final String[] parts;

        Key(String... parts) {
            this.parts = parts;
        }

        @Override
        public String toString() {
            StringJoiner text = new StringJoiner("/");
            for (String part : parts) {
                text.add(part);
            }
            return text.toString();
        }
    }

    private Key key(int row) {
        String[] parts = new String[30];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = "dimension-" + i + "=" + row % 40;
        }
        return keys.intern(new Key(parts));
    }

    public static void main(String... args) {
        Load.spread(ROWS, args, number -> length += REPORT.key(number).toString().length());
        System.out.println("length " + length);
    }
}
