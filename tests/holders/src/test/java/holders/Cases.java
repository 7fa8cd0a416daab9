// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import holders.cases.AnonymousCapture;
import holders.cases.ArrayOfArrays;
import holders.cases.BoundHandle;
import holders.cases.BytesOfString;
import holders.cases.C1Local;
import holders.cases.C2Local;
import holders.cases.CleanerAction;
import holders.cases.ConcurrentMapValue;
import holders.cases.Cycle;
import holders.cases.DeadCycle;
import holders.cases.EnumConstant;
import holders.cases.ExecutorQueue;
import holders.cases.FinalizerQueue;
import holders.cases.FutureStage;
import holders.cases.InheritedField;
import holders.cases.InheritedThreadLocal;
import holders.cases.InnerClass;
import holders.cases.InstanceChain;
import holders.cases.InterfaceConstant;
import holders.cases.InterpretedLocal;
import holders.cases.JniGlobal;
import holders.cases.JniLocal;
import holders.cases.JniWeakGlobal;
import holders.cases.LambdaCapture;
import holders.cases.LargeArray;
import holders.cases.LinkedElement;
import holders.cases.ListElement;
import holders.cases.Listener;
import holders.cases.LoadedStatic;
import holders.cases.LoaderOfClass;
import holders.cases.LoaderOfInstance;
import holders.cases.LoaderOfThreadLocal;
import holders.cases.LongChain;
import holders.cases.MapKey;
import holders.cases.MapValue;
import holders.cases.Monitor;
import holders.cases.MovingElement;
import holders.cases.ParkedVirtualThread;
import holders.cases.PhantomOnly;
import holders.cases.ProxyHandler;
import holders.cases.RecordComponent;
import holders.cases.ScheduledTask;
import holders.cases.ShutdownHook;
import holders.cases.SoftAndStrong;
import holders.cases.SoftOnly;
import holders.cases.SparseArrays;
import holders.cases.StaticBeforeLocal;
import holders.cases.StaticField;
import holders.cases.ThreadField;
import holders.cases.ThreadLocalValue;
import holders.cases.TimerQueue;
import holders.cases.TreeMapValue;
import holders.cases.ValueOfClass;
import holders.cases.VirtualThreadLocal;
import holders.cases.WeakMapKey;
import holders.cases.WeakMapValue;
import holders.cases.WeakOnly;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** All known holders. */
final class Cases {

    private Cases() {}

    /**
     * Returns those that a Java version has: first the one that collects garbage, and last those
     * whose targets a collection takes away.
     */
    static List<Case> of(int feature) {
        return Stream.<Supplier<Case>>of(
                        FinalizerQueue::new,
                        AnonymousCapture::new,
                        ArrayOfArrays::new,
                        BoundHandle::new,
                        BytesOfString::new,
                        C1Local::new,
                        C2Local::new,
                        CleanerAction::new,
                        ConcurrentMapValue::new,
                        Cycle::new,
                        EnumConstant::new,
                        ExecutorQueue::new,
                        FutureStage::new,
                        InheritedField::new,
                        InheritedThreadLocal::new,
                        InnerClass::new,
                        InstanceChain::new,
                        InterfaceConstant::new,
                        InterpretedLocal::new,
                        JniGlobal::new,
                        JniLocal::new,
                        LambdaCapture::new,
                        LargeArray::new,
                        LinkedElement::new,
                        ListElement::new,
                        Listener::new,
                        LoadedStatic::new,
                        LoaderOfClass::new,
                        LoaderOfInstance::new,
                        LoaderOfThreadLocal::new,
                        LongChain::new,
                        MapKey::new,
                        MapValue::new,
                        Monitor::new,
                        MovingElement::new,
                        ParkedVirtualThread::new,
                        ProxyHandler::new,
                        RecordComponent::new,
                        ScheduledTask::new,
                        ShutdownHook::new,
                        SoftAndStrong::new,
                        SoftOnly::new,
                        SparseArrays::new,
                        StaticBeforeLocal::new,
                        StaticField::new,
                        ThreadField::new,
                        ThreadLocalValue::new,
                        TimerQueue::new,
                        TreeMapValue::new,
                        ValueOfClass::new,
                        VirtualThreadLocal::new,
                        WeakMapValue::new,
                        DeadCycle::new,
                        JniWeakGlobal::new,
                        PhantomOnly::new,
                        WeakMapKey::new,
                        WeakOnly::new)
                .map(Supplier::get)
                .filter(each -> each.since() <= feature)
                .toList();
    }
}
