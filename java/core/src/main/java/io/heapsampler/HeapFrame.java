// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.shared.ShownFrames;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * One frame of an allocation stack.
 *
 * <p>The names of lambdas, hidden classes and proxies differ from run to run; {@link #className()}
 * is normalised so that profiles merge, and {@link #rawClassName()} is what the JVM said. Two
 * frames are equal when class, method, descriptor, file and line are equal; the raw name does not
 * count.
 *
 * <pre>{@code
 * for (HeapFrame frame : site.stack()) {
 *     System.out.println("    at " + frame);
 * }
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapFrame {

    private static final int NATIVE = 1;
    private static final int HIDDEN = 2;

    private final String className;
    private final String rawClassName;
    private final String methodName;
    private final String descriptor;
    private final @Nullable String fileName;
    private final int lineNumber;
    private final int firstLine;
    private final int flags;
    private final int hash;

    HeapFrame(
            String className,
            String rawClassName,
            String methodName,
            String descriptor,
            @Nullable String fileName,
            int lineNumber,
            int firstLine,
            int flags) {
        this.className = className;
        this.rawClassName = rawClassName;
        this.methodName = methodName;
        this.descriptor = descriptor;
        this.fileName = fileName;
        this.lineNumber = lineNumber;
        this.firstLine = firstLine;
        this.flags = flags;
        // Not by Objects.hash: that takes an array, and snapshots have tens of thousands of frames.
        int names =
                31 * (31 * className.hashCode() + methodName.hashCode()) + descriptor.hashCode();
        this.hash = 31 * (31 * names + Objects.hashCode(fileName)) + lineNumber;
    }

    /** {@return the Java name of the class, normalised, such as {@code java.util.HashMap$Node}} */
    public String className() {
        return className;
    }

    /**
     * {@return the Java name of the class as the JVM gave it, such as {@code
     * com.acme.Cart$$Lambda/0x00007f1c4c0b1000}}
     */
    public String rawClassName() {
        return rawClassName;
    }

    /** {@return the name of the method, such as {@code put} or {@code <init>}} */
    public String methodName() {
        return methodName;
    }

    /**
     * {@return the descriptor of the method, as in the class file, such as {@code
     * (ILjava/lang/String;)V}}
     */
    public String descriptor() {
        return descriptor;
    }

    /**
     * {@return the name of the source file without folders; null if the class file does not say}
     */
    public @Nullable String fileName() {
        return fileName;
    }

    /** {@return the line, 1 or more; empty if it is not known} */
    public OptionalInt lineNumber() {
        return optional(lineNumber);
    }

    /**
     * {@return the first line of the method: the least that the class file gives for its code, 1 or
     * more; empty if it is not known}
     */
    public OptionalInt firstLineNumber() {
        return optional(firstLine);
    }

    private static OptionalInt optional(int line) {
        return line > 0 ? OptionalInt.of(line) : OptionalInt.empty();
    }

    /** {@return whether the class is hidden, such as that of a lambda} */
    public boolean isHidden() {
        return (flags & HIDDEN) != 0;
    }

    /** {@return whether the method is native} */
    public boolean isNative() {
        return (flags & NATIVE) != 0;
    }

    /**
     * Returns whether the JDK calls the application's code with this frame, or builds a string for
     * it: reflection, method handles, lambda classes and string concatenation. Such frames fill a
     * short list of frames and name no code of interest:
     *
     * <pre>{@code
     * site.stack().stream()
     *         .filter(frame -> !frame.isImplementation())
     *         .limit(5)
     *         .forEach(frame -> System.out.println("    at " + frame));
     * }</pre>
     *
     * @return true for a frame that carries out a call
     */
    public boolean isImplementation() {
        return ShownFrames.isPlumbing(className, methodName);
    }

    /** Returns the frame without its line: equal for all lines of a method. */
    HeapFrame withoutLine() {
        return new HeapFrame(
                className, rawClassName, methodName, descriptor, fileName, -1, firstLine, flags);
    }

    /**
     * {@return this frame as the JDK's own type, with the normalised class name and without module
     * or loader}
     */
    public StackTraceElement toStackTraceElement() {
        return new StackTraceElement(className, methodName, fileName, isNative() ? -2 : lineNumber);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HeapFrame that
                && hash == that.hash
                && lineNumber == that.lineNumber
                && className.equals(that.className)
                && methodName.equals(that.methodName)
                && descriptor.equals(that.descriptor)
                && Objects.equals(fileName, that.fileName);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /**
     * {@return the frame as in a stack trace, such as {@code
     * java.util.HashMap.put(HashMap.java:610)}}
     */
    @Override
    public String toString() {
        String place;
        if (isNative()) {
            place = "Native Method";
        } else if (fileName == null) {
            place = "Unknown Source";
        } else {
            place = lineNumber > 0 ? fileName + ":" + lineNumber : fileName;
        }
        return className + "." + methodName + "(" + place + ")";
    }
}
