// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

/**
 * One reference of a path.
 *
 * @param flags bits of the block
 * @param owner the class that declares the field, or that of the object that refers
 * @param field the name of the field; empty if it is none
 * @param to the class of the object that it leads to; if it leads to a class itself, that class
 */
record Step(Kind kind, int flags, String owner, String field, String to) {

    static final int SOFT = 2;
    static final int REPEATED = 4;
    static final int CUT = 8;
    static final int CLASS = 16;

    /** As the block numbers them. */
    enum Kind {
        ROOT(""),
        FIELD(""),
        STATIC_FIELD(""),
        ELEMENT("[]"),
        CLASS("class"),
        CLASS_LOADER("loader"),
        SIGNERS("signers"),
        PROTECTION_DOMAIN("domain"),
        INTERFACE("interface"),
        SUPERCLASS("superclass"),
        CONSTANT_POOL("pool"),
        OTHER("other");

        private final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    boolean isRepeated() {
        return (flags & REPEATED) != 0;
    }

    boolean isCut() {
        return (flags & CUT) != 0;
    }

    boolean leadsToClass() {
        return (flags & CLASS) != 0;
    }

    @Override
    public String toString() {
        String name = field.isEmpty() ? kind.text : Names.shortOf(owner) + "." + field;
        return (name.isEmpty() ? "" : name + ": ")
                + (leadsToClass() ? "class " : "")
                + Names.shortOf(to)
                + ((flags & SOFT) != 0 ? "~" : "")
                + (isRepeated() ? "*" : "")
                + (isCut() ? " > (cut)" : "");
    }
}
