// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import kotlin.sequences.Sequence;
import kotlin.sequences.SequencesKt;
import shark.CloseableHeapGraph;
import shark.GcRoot;
import shark.HeapField;
import shark.HeapObject;
import shark.HeapObject.HeapClass;
import shark.HeapObject.HeapInstance;
import shark.HeapObject.HeapObjectArray;
import shark.HeapObject.HeapPrimitiveArray;
import shark.HeapValue;
import shark.HprofHeapGraph;
import shark.HprofRecordTag;

/** A heap dump, as LeakCanary's library reads it; objects are their numbers in it. */
final class DumpHeap implements Heap<Long>, Closeable {

    private final CloseableHeapGraph graph;
    private final Map<String, List<HeapClass>> classes = new HashMap<>();

    DumpHeap(File file) {
        Set<HprofRecordTag> roots = new HashSet<>();
        for (HprofRecordTag tag : HprofRecordTag.values()) {
            if (tag.name().startsWith("ROOT_")) {
                roots.add(tag);
            }
        }
        graph = HprofHeapGraph.Companion.openHeapGraph(file, null, roots);
        for (HeapClass type : list(graph.getClasses())) {
            classes.computeIfAbsent(nameOf(type.getName()), name -> new ArrayList<>()).add(type);
        }
    }

    private static <T> List<T> list(Sequence<? extends T> sequence) {
        return new ArrayList<>(SequencesKt.toList(sequence));
    }

    /** Names of arrays are as in class files, or as in source. */
    private static String nameOf(String name) {
        if (!name.startsWith("[")) {
            return Names.normal(name.replace('/', '.'));
        }
        String element = name.substring(1);
        if (element.startsWith("L")) {
            element = element.substring(1, element.length() - 1);
        }
        return nameOf(element) + "[]";
    }

    @Override
    public void close() throws IOException {
        graph.close();
    }

    @Override
    public Set<Long> set() {
        return new HashSet<>();
    }

    @Override
    public Collection<Long> statics(String className, String field) {
        List<Long> values = new ArrayList<>();
        for (HeapClass type : classes.getOrDefault(Names.normal(className), List.of())) {
            values.addAll(value(type.readStaticField(field)));
        }
        return values;
    }

    private static Collection<Long> value(HeapField field) {
        return field == null ? List.of() : value(field.getValue());
    }

    private static Collection<Long> value(HeapValue value) {
        return Heap.ofNullable(value.getAsNonNullObjectId());
    }

    @Override
    public Collection<Long> threads(long id) {
        return rootsOf(GcRoot.ThreadObject.class);
    }

    @Override
    public Collection<Long> roots(Path path) {
        return switch (path.root()) {
            case LOCAL -> rootsOf(GcRoot.JavaFrame.class);
            case JNI_LOCAL -> rootsOf(GcRoot.JniLocal.class);
            case JNI_GLOBAL -> rootsOf(GcRoot.JniGlobal.class);
            case MONITOR -> rootsOf(GcRoot.MonitorUsed.class);
            case THREAD -> instances(path.steps().get(0).to()); // a virtual thread
            default -> rootsOf(GcRoot.class);
        };
    }

    private Collection<Long> instances(String className) {
        List<Long> instances = new ArrayList<>();
        for (HeapClass type : classes.getOrDefault(className, List.of())) {
            list(type.getDirectInstances()).forEach(each -> instances.add(each.getObjectId()));
        }
        return instances;
    }

    private Collection<Long> rootsOf(Class<? extends GcRoot> type) {
        return graph.getGcRoots().stream()
                .filter(type::isInstance)
                .map(GcRoot::getId)
                .filter(graph::objectExists)
                .toList();
    }

    @Override
    public Collection<Long> field(Long object, String className, String field) {
        List<Long> values = new ArrayList<>();
        if (graph.findObjectById(object) instanceof HeapInstance instance) {
            for (HeapField each : list(instance.readFields())) {
                if (each.getName().equals(field)
                        && nameOf(each.getDeclaringClass().getName())
                                .equals(Names.normal(className))) {
                    values.addAll(value(each));
                }
            }
        }
        return values;
    }

    @Override
    public Collection<Long> elements(Long array) {
        Set<Long> elements = new HashSet<>();
        if (graph.findObjectById(array) instanceof HeapObjectArray objects) {
            for (HeapValue value : list(objects.readElements())) {
                elements.addAll(value(value));
            }
        }
        return elements;
    }

    @Override
    public Collection<Long> unnamed(Long object, Step.Kind kind) {
        HeapObject it = graph.findObjectById(object);
        if (kind == Step.Kind.CLASS && it instanceof HeapInstance instance) {
            return List.of(instance.getInstanceClassId());
        }
        if (it instanceof HeapClass type) {
            return switch (kind) {
                case CLASS_LOADER -> List.of(type.readRecord().getClassLoaderId());
                case SUPERCLASS -> List.of(type.readRecord().getSuperclassId());
                case PROTECTION_DOMAIN -> List.of(type.readRecord().getProtectionDomainId());
                default -> List.of();
            };
        }
        return List.of();
    }

    @Override
    public Collection<Long> all(Long object) {
        List<Long> all = new ArrayList<>(elements(object));
        if (graph.findObjectById(object) instanceof HeapInstance instance) {
            for (HeapField each : list(instance.readFields())) {
                all.addAll(value(each));
            }
        }
        return all;
    }

    @Override
    public String className(Long object) {
        HeapObject it = graph.findObjectByIdOrNull(object);
        if (it instanceof HeapInstance instance) {
            return nameOf(instance.getInstanceClassName());
        }
        if (it instanceof HeapObjectArray array) {
            return nameOf(array.getArrayClassName());
        }
        if (it instanceof HeapPrimitiveArray array) {
            return nameOf(array.getArrayClassName());
        }
        return it instanceof HeapClass type ? nameOf(type.getName()) : "";
    }

    @Override
    public boolean isClass(Long object) {
        return graph.findObjectByIdOrNull(object) instanceof HeapClass;
    }

    @Override
    public boolean hasClass(String className) {
        return classes.containsKey(Names.normal(className));
    }
}
