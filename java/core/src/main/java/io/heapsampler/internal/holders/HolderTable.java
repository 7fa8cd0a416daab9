// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

/** The rows of {@link KnownHolders}, which has the meaning of the columns. */
final class HolderTable {

    static final String TEXT =
            """
            java.util.HashMap
              table inside
            java.util.HashMap$Node
              next inside
              key key
              value value
            java.util.HashMap$TreeNode
              parent inside
              left inside
              right inside
              prev inside
            java.util.LinkedHashMap
              head inside
              tail inside
            java.util.LinkedHashMap$Entry
              before inside
              after inside
            java.util.HashSet
              map set
            java.util.IdentityHashMap
              table both
            java.util.WeakHashMap
              table inside
            java.util.WeakHashMap$Entry
              next inside
              value value
            java.util.TreeMap
              root inside
            java.util.TreeMap$Entry
              parent inside
              left inside
              right inside
              key key
              value value
            java.util.TreeSet
              m set
            java.util.EnumMap
              vals both
            java.util.Hashtable
              table inside
            java.util.Hashtable$Entry
              next inside
              key key
              value value
            java.util.Properties
              map inside
              defaults = defaults of Properties
            java.util.concurrent.ConcurrentHashMap
              table inside
              nextTable inside
            java.util.concurrent.ConcurrentHashMap$Node
              next inside
              key key
              val value
            java.util.concurrent.ConcurrentHashMap$TreeBin
              root inside
              first inside
            java.util.concurrent.ConcurrentHashMap$TreeNode
              parent inside
              left inside
              right inside
              prev inside
            java.util.concurrent.ConcurrentHashMap$ForwardingNode
              nextTable inside
            java.util.concurrent.ConcurrentHashMap$CollectionView
              map set
            java.util.concurrent.ConcurrentSkipListMap
              head inside
            java.util.concurrent.ConcurrentSkipListMap$Index
              node inside
              down inside
              right inside
            java.util.concurrent.ConcurrentSkipListMap$Node
              next inside
              key key
              val value
            java.util.concurrent.ConcurrentSkipListSet
              m set
            java.util.ArrayList
              elementData elements
            java.util.Vector
              elementData elements
            java.util.Arrays$ArrayList
              a elements
            java.util.ArrayDeque
              elements elements
            java.util.PriorityQueue
              queue elements
            java.util.LinkedList
              first inside
              last inside
            java.util.LinkedList$Node
              next inside
              prev inside
              item element
            java.util.concurrent.CopyOnWriteArrayList
              array elements
            java.util.concurrent.CopyOnWriteArraySet
              al set
            java.util.concurrent.ConcurrentLinkedQueue
              head inside
              tail inside
            java.util.concurrent.ConcurrentLinkedQueue$Node
              next inside
              item element
            java.util.concurrent.ConcurrentLinkedDeque
              head inside
              tail inside
            java.util.concurrent.ConcurrentLinkedDeque$Node
              next inside
              prev inside
              item element
            java.util.concurrent.LinkedBlockingQueue
              head inside
              last inside
            java.util.concurrent.LinkedBlockingQueue$Node
              next inside
              item element
            java.util.concurrent.LinkedBlockingDeque
              first inside
              last inside
            java.util.concurrent.LinkedBlockingDeque$Node
              next inside
              prev inside
              item element
            java.util.concurrent.LinkedTransferQueue
              head inside
              tail inside
            java.util.concurrent.LinkedTransferQueue$Node
              next inside [17]
              item element [17]
            java.util.concurrent.LinkedTransferQueue$DualNode
              next inside [21-25]
              item element [21-25]
            java.util.concurrent.ArrayBlockingQueue
              items elements
            java.util.concurrent.PriorityBlockingQueue
              queue elements
            java.util.concurrent.DelayQueue
              q set
            java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue
              queue elements
            java.util.ImmutableCollections$List12
              e0 element
              e1 element
            java.util.ImmutableCollections$ListN
              elements elements
            java.util.ImmutableCollections$SubList
              root wraps
            java.util.ImmutableCollections$Set12
              e0 element
              e1 element
            java.util.ImmutableCollections$SetN
              elements elements
            java.util.ImmutableCollections$Map1
              k0 key
              v0 value
            java.util.ImmutableCollections$MapN
              table both
            java.util.Collections$UnmodifiableCollection
              c wraps
            java.util.Collections$UnmodifiableList
              list wraps
            java.util.Collections$UnmodifiableSortedSet
              ss wraps
            java.util.Collections$UnmodifiableMap
              m wraps
            java.util.Collections$UnmodifiableSortedMap
              sm wraps
            java.util.Collections$SynchronizedCollection
              c wraps
            java.util.Collections$SynchronizedList
              list wraps
            java.util.Collections$SynchronizedMap
              m wraps
            java.util.Collections$SynchronizedSortedMap
              sm wraps
            java.util.Collections$CheckedCollection
              c wraps
            java.util.Collections$CheckedMap
              m wraps
            java.util.Collections$SetFromMap
              m set
            java.util.Collections$AsLIFOQueue
              q wraps
            java.util.Collections$SingletonList
              element element
            java.util.Collections$SingletonSet
              element element
            java.util.Collections$SingletonMap
              k key
              v value
            java.util.Collections$CopiesList
              element element
            java.util.AbstractMap$SimpleEntry
              key key
              value value
            java.util.AbstractMap$SimpleImmutableEntry
              key key
              value value
            java.util.KeyValueHolder
              key key
              value value
            java.util.Optional
              value value
            java.util.concurrent.atomic.AtomicReference
              value value
            java.util.concurrent.atomic.AtomicReferenceArray
              array elements
            java.util.concurrent.CompletableFuture
              result = result of a CompletableFuture
              stack = stages that wait for a CompletableFuture
            java.util.concurrent.FutureTask
              outcome = result of a FutureTask
              callable = task of a FutureTask
            java.util.concurrent.Executors$RunnableAdapter
              task = task of an executor
            java.util.concurrent.ThreadPoolExecutor
              workQueue = queue of a ThreadPoolExecutor
              workers = workers of a ThreadPoolExecutor
              threadFactory = thread factory of a ThreadPoolExecutor
            java.util.concurrent.ThreadPoolExecutor$Worker
              firstTask = first task of a worker of a ThreadPoolExecutor
              thread = thread of a worker of a ThreadPoolExecutor
            java.util.concurrent.ThreadPerTaskExecutor
              threads = threads of a ThreadPerTaskExecutor [21-25]
            java.util.concurrent.ForkJoinPool
              common = common ForkJoinPool
              queues = queues of a ForkJoinPool
            java.util.concurrent.ForkJoinPool$WorkQueue
              array = tasks in a queue of a ForkJoinPool
            java.util.Timer
              queue = tasks of a Timer
              thread = thread of a Timer
            java.util.TimerThread
              queue = tasks of a Timer
            java.util.TaskQueue
              queue elements
            java.lang.String
              value = content of a String
            java.lang.AbstractStringBuilder
              value = content of a StringBuilder
            java.lang.Thread
              threadLocals = thread-locals of a thread
              inheritableThreadLocals = inheritable thread-locals of a thread
              contextClassLoader = context class loader of a thread
              inheritedAccessControlContext = access control context of a thread [17-21]
              target = task of a thread [17]
              holder wraps [21-25]
              uncaughtExceptionHandler = uncaught exception handler of a thread
              defaultUncaughtExceptionHandler = default uncaught exception handler
            java.lang.Thread$FieldHolder
              task = task of a thread [21-25]
            java.lang.ThreadLocal$ThreadLocalMap
              table inside
            java.lang.ThreadLocal$ThreadLocalMap$Entry
              value value
            java.lang.ClassValue$ClassValueMap
              cacheArray inside
            java.lang.ClassValue$Entry
              value value
            java.lang.VirtualThread
              cont = stack of a virtual thread [21-25]
            jdk.internal.vm.Continuation
              tail = frames of a continuation [21-25]
              target = task of a virtual thread [21-25]
            jdk.internal.vm.ThreadContainers
              CONTAINER_REGISTRY = containers of virtual threads [21-25]
            java.lang.ClassLoader
              classes = classes of a class loader
              parent = parent of a class loader
              parallelLockMap = locks of a class loader
              packages = packages of a class loader
            java.lang.ApplicationShutdownHooks
              hooks = shutdown hooks (Runtime.addShutdownHook)
            java.lang.Shutdown
              hooks = shutdown hooks of the JDK
            java.io.DeleteOnExitHook
              files = files to delete on exit (File.deleteOnExit)
            java.util.ServiceLoader
              instantiatedProviders = providers of a ServiceLoader
              loadedProviders = providers of a ServiceLoader
            java.util.ResourceBundle
              cacheList = cache of resource bundles
            java.util.zip.Inflater
              input = input of an Inflater
              inputArray = input of an Inflater
            java.util.zip.Deflater
              input = input of a Deflater
              inputArray = input of a Deflater
            java.lang.ref.Cleaner
              impl = cleaning actions of a Cleaner
            jdk.internal.ref.CleanerImpl
              phantomCleanableList = cleaning actions of a Cleaner [17-21]
              activeList = cleaning actions of a Cleaner [25]
            jdk.internal.ref.CleanerImpl$PhantomCleanableRef
              action = action of a Cleaner
            jdk.internal.ref.Cleaner
              first = cleaning actions of direct buffers
            java.lang.ref.Finalizer
              unfinalized = objects with a finalizer
              queue = finalizer queue
            java.lang.management.ManagementFactory
              platformMBeanServer = platform MBean server
            javax.management.MBeanServerFactory
              mBeanServerList = MBean servers
            com.sun.jmx.mbeanserver.NamedObject
              object = registered MBean
            com.sun.jmx.mbeanserver.Repository
              domainTb = MBeans of an MBean server
            java.util.logging.LogManager
              manager = LogManager
            java.util.logging.Logger$ConfigurationData
              handlers = handlers of a Logger
              filter = filter of a Logger
            java.sql.DriverManager
              registeredDrivers = drivers of DriverManager
            java.security.Security
              props = security properties
            sun.security.jca.Providers
              providerList = security providers
            java.lang.reflect.Proxy
              h = invocation handler of a proxy
            java.beans.ThreadGroupContext
              contexts = bean contexts (Introspector)
            """;

    private HolderTable() {}
}
