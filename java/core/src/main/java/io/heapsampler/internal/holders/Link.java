// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import io.heapsampler.HolderRoot;
import io.heapsampler.internal.shared.LibraryCode;

/**
 * One reference of a path as people see it, after folding. References that are equal merge. Holds
 * names only; the text is made on request, so that many of them take little memory.
 *
 * @param form how it reads
 * @param owner a class, a collection, or words, as the form needs it
 * @param name a field, a method or a thread, as the form needs it
 * @param thread the name of a thread, empty for none
 * @param isSoft whether it is a soft reference
 * @param site the number of the site that a {@link Form#SITE} stands for, else −1
 */
record Link(Form form, String owner, String name, String thread, boolean isSoft, int site) {

    /** The forms; those of roots first. */
    enum Form {
        STATIC_FIELD,
        THREAD,
        LOCAL,
        JNI_LOCAL,
        JNI_GLOBAL,
        SYSTEM_CLASS,
        MONITOR,
        OTHER_ROOT,
        FINALIZER_QUEUE,
        THREAD_LOCAL,
        FIELD,
        OUTER,
        CAPTURED_VARIABLE,
        CAPTURED_BY_LAMBDA,
        ELEMENT,
        IN_COLLECTION,
        INSIDE_COLLECTION,
        WORDS,
        CLASS,
        CLASS_LOADER,
        SIGNERS,
        PROTECTION_DOMAIN,
        INTERFACE,
        SUPERCLASS,
        CONSTANT_POOL,
        OTHER,
        GAP,
        SITE
    }

    static final int NO_SITE = -1;

    private static final HolderRoot[] ROOTS = HolderRoot.values();

    static Link of(Form form, String owner, String name, boolean isSoft) {
        return new Link(form, owner, name, "", isSoft, NO_SITE);
    }

    static Link site(int number) {
        return new Link(Form.SITE, "", "", "", false, number);
    }

    /** Returns the kind of root; only for a link with which a path begins. */
    HolderRoot root() {
        return ROOTS[form.ordinal()];
    }

    /** Names that differ in digits only have sums of hash codes that are often equal. */
    @Override
    public int hashCode() {
        int hash = owner.hashCode() * 0x9E37_79B9 + name.hashCode();
        hash = (hash ^ hash >>> 15) * 0x85EB_CA6B + thread.hashCode();
        hash = (hash ^ hash >>> 13) * 0xC2B2_AE35 + site;
        return 31 * (hash ^ hash >>> 16) + 2 * form.ordinal() + (isSoft ? 1 : 0);
    }

    boolean isField() {
        return switch (form) {
            case STATIC_FIELD, FIELD, CAPTURED_VARIABLE, CAPTURED_BY_LAMBDA -> true;
            default -> false;
        };
    }

    /** Returns whether this is a field of the reader's own code. */
    boolean isOwnField() {
        return isField() && !owner.isEmpty() && LibraryCode.isOwn(owner);
    }

    /** Returns whether this leads from a collection or an array into it. */
    boolean isElement() {
        return switch (form) {
            case ELEMENT, IN_COLLECTION, INSIDE_COLLECTION -> true;
            default -> false;
        };
    }

    /** Returns the text, without the site. */
    String text() {
        String text =
                switch (form) {
                    case STATIC_FIELD ->
                            owner.isEmpty() ? name : "static field " + owner + "." + name;
                    case THREAD -> inThread("thread", owner);
                    case LOCAL -> inThread("local of " + owner + "." + name + " in thread", "");
                    case JNI_LOCAL -> inThread("local reference of native code in thread", "");
                    case JNI_GLOBAL -> "global reference of native code" + to();
                    case SYSTEM_CLASS -> owner + ", which the JVM needs";
                    case MONITOR -> inThread("lock" + to() + " in use by thread", "");
                    case OTHER_ROOT -> "reference of the JVM" + to();
                    case FINALIZER_QUEUE -> "finalizer queue";
                    case THREAD_LOCAL -> inThread("thread-local of thread", "");
                    case FIELD -> owner + "." + name;
                    case OUTER -> "outer instance of " + owner;
                    case CAPTURED_VARIABLE -> name + ", captured by " + owner;
                    case CAPTURED_BY_LAMBDA -> "captured by a lambda of " + owner;
                    case ELEMENT -> owner.isEmpty() ? "element" : "element of " + owner;
                    case IN_COLLECTION -> name + " " + owner;
                    case INSIDE_COLLECTION -> "inside " + owner;
                    case WORDS -> owner;
                    case CLASS -> "class " + owner;
                    case CLASS_LOADER -> "class loader of " + owner;
                    case SIGNERS -> "signers of " + owner;
                    case PROTECTION_DOMAIN -> "protection domain of " + owner;
                    case INTERFACE -> "interface of " + owner;
                    case SUPERCLASS -> "superclass of " + owner;
                    case CONSTANT_POOL -> "constant pool of " + owner;
                    case OTHER -> "reference of the JVM in " + owner;
                    case GAP -> "(some references left out)";
                    case SITE -> "";
                };
        return isSoft ? text + " (soft reference)" : text;
    }

    private String to() {
        return owner.isEmpty() ? "" : " to " + owner;
    }

    private String inThread(String what, String threadClass) {
        String type =
                threadClass.isEmpty() || threadClass.equals("java.lang.Thread")
                        ? ""
                        : " (" + threadClass + ")";
        return what + " " + (thread.isEmpty() ? "without a name" : thread) + type;
    }
}
