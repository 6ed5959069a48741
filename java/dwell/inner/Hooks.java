// SPDX-License-Identifier: Apache-2.0
/* Keeps which methods hit which probes, for all sessions, and has the JVM transform the classes whose methods change. */
package dwell.inner;

import dwell.probe.Probe;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

final class Hooks implements ClassFileTransformer {
    static final String CONSTRUCTORS = "<init>*"; /* in place of a name and a descriptor */

    /* What is inserted into a method: 'e' entry, 'r' return, 't' throw, 'o' object made: of all constructors. */
    static final class Hook {
        final char kind;
        final int slot;
        final Object owner;

        Hook(char kind, int slot, Object owner) {
            this.kind = kind;
            this.slot = slot;
            this.owner = owner;
        }
    }

    private final Instrumentation inst;
    private final Weaver weaver;
    private final Map<Class<?>, Map<String, List<Hook>>> byClass = new WeakHashMap<>();
    private final Set<Class<?>> changed = new HashSet<>();
    private final Object[] slots = new Object[Probe.nsites()];
    private int next;
    private final Set<Loading> late = new HashSet<>(); /* wanted before they were classes */
    private final List<Session> sessions = new CopyOnWriteArrayList<>(); /* that want classes which are loaded */
    private final Map<Class<?>, Throwable> failed = new HashMap<>();

    Hooks(Instrumentation inst, Weaver weaver) {
        this.inst = inst;
        this.weaver = weaver;
        inst.addTransformer(this, true);
    }

    void classes(List<Class<?>> to) {
        to.clear();
        for (Class<?> c : inst.getAllLoadedClasses()) {
            if (!c.isArray() && !c.isPrimitive() && inst.isModifiableClass(c) && !c.getName().startsWith("dwell.")) {
                to.add(c);
            }
        }
    }

    private static String descriptor(Class<?> c) {
        String s = java.lang.reflect.Array.newInstance(c, 0).getClass().getName().replace('.', '/');
        return s.substring(1);
    }

    private static void describe(List<String> to, Executable e, String name, Class<?> type) {
        if ((e.getModifiers() & (Modifier.ABSTRACT | Modifier.NATIVE)) != 0) {
            return;
        }
        StringBuilder b = new StringBuilder(name).append("\t(");
        for (Class<?> p : e.getParameterTypes()) {
            b.append(descriptor(p));
        }
        to.add(b.append(')').append(type == void.class ? "V" : descriptor(type)).toString());
    }

    static List<String> methods(Class<?> c) {
        List<String> to = new ArrayList<>();
        for (Method m : c.getDeclaredMethods()) {
            describe(to, m, m.getName(), m.getReturnType());
        }
        for (Constructor<?> k : c.getDeclaredConstructors()) {
            describe(to, k, "<init>", void.class);
        }
        return to;
    }

    /* A place that nobody has, not one that was given back just now: a method may still be on its way out of it. */
    synchronized int slot(Object owner) {
        for (int i = 0; i < slots.length; i++) {
            int k = (next + i) % slots.length;
            if (slots[k] == null) {
                slots[k] = owner;
                next = k + 1;
                return k;
            }
        }
        throw new IllegalStateException("all " + slots.length + " places for probes are taken");
    }

    void watch(Session s) {
        if (!sessions.contains(s)) {
            sessions.add(s);
        }
    }

    synchronized void add(Object owner, Loading l, char kind, int slot, String method) {
        l.add(method, new Hook(kind, slot, owner));
        late.add(l);
    }

    /* It may be one of `late`. */
    private void adopt(Class<?> c) {
        late.removeIf(l -> {
            if (!l.is(c)) {
                return false;
            }
            if (!l.moveTo(byClass.computeIfAbsent(c, k -> new HashMap<>()))) {
                changed.add(c);
            }
            return true;
        });
    }

    private void adopt() {
        if (!late.isEmpty()) {
            for (Class<?> c : inst.getAllLoadedClasses()) {
                adopt(c);
            }
        }
    }

    private synchronized Map<String, List<Hook>> of(Class<?> c) {
        if (!byClass.containsKey(c)) {
            adopt(c);
        }
        return byClass.get(c);
    }

    /* What a class that was loaded without its hooks wants, once it is a class. */
    String catchUp(Loading l, int tries) throws InterruptedException {
        for (; tries > 0; tries--) {
            synchronized (this) {
                if (!late.contains(l) || l.isInserted()) {
                    return apply();
                }
            }
            Thread.sleep(10);
        }
        return null;
    }

    synchronized void add(Object owner, Class<?> c, char kind, int slot, String method) {
        byClass.computeIfAbsent(c, k -> new HashMap<>()).computeIfAbsent(method, k -> new ArrayList<>()).add(new Hook(kind, slot, owner));
        changed.add(c);
    }

    /* Transforms what has changed. What could not be, in words; or null. */
    synchronized String apply() {
        String wrong = null;
        adopt();
        Class<?>[] all = changed.toArray(new Class<?>[0]);
        changed.clear();
        failed.clear();
        try {
            inst.retransformClasses(all);
        } catch (Throwable together) {
            for (Class<?> c : all) {
                try {
                    inst.retransformClasses(c);
                } catch (Throwable t) {
                    failed.put(c, t);
                }
            }
        }
        for (Map.Entry<Class<?>, Throwable> e : failed.entrySet()) {
            byClass.remove(e.getKey());
            wrong = e.getKey().getName() + ": " + e.getValue();
        }
        return wrong;
    }

    synchronized void drop(Object owner) {
        sessions.remove(owner);
        adopt();
        late.forEach(l -> l.drop(owner));
        for (Map.Entry<Class<?>, Map<String, List<Hook>>> e : byClass.entrySet()) {
            for (List<Hook> l : e.getValue().values()) {
                if (l.removeIf(h -> h.owner == owner)) {
                    changed.add(e.getKey());
                }
            }
            e.getValue().values().removeIf(List::isEmpty);
        }
        byClass.values().removeIf(Map::isEmpty);
        apply();
        for (int i = 0; i < slots.length; i++) {
            if (slots[i] == owner) {
                slots[i] = null;
            }
        }
    }

    /* null: as it was loaded. A loader that hides the boot loader's classes would make the calls fail: its classes are left alone. */
    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> c, ProtectionDomain domain, byte[] classFile) {
        if (c == null) {
            return sessions.isEmpty() || name == null || name.startsWith("dwell/") ? null : load(loader, name.replace('/', '.'), classFile);
        }
        Map<String, List<Hook>> hooks = of(c);
        if (hooks == null) {
            return null;
        }
        try {
            return weave(loader, classFile, hooks);
        } catch (Throwable t) {
            failed.put(c, t);
            return null;
        }
    }

    private byte[] weave(ClassLoader loader, byte[] classFile, Map<String, List<Hook>> hooks) throws ClassNotFoundException {
        if (loader != null && Class.forName(Probe.class.getName(), false, loader) != Probe.class) {
            throw new ClassNotFoundException("another " + Probe.class.getName());
        }
        return weaver.weave(classFile, hooks);
    }

    /* Asks the sessions that want the class, in the thread that loads it. */
    private byte[] load(ClassLoader loader, String name, byte[] classFile) {
        boolean was = Probe.quiet(true);
        try {
            Loading l = null;
            List<Session> asked = new ArrayList<>();
            for (Session s : sessions) {
                if (s.wants(name)) {
                    l = l == null ? new Loading(name, loader, weaver.methods(classFile)) : l;
                    if (s.ask(l)) {
                        asked.add(s);
                    }
                }
            }
            if (l == null) {
                return null;
            }
            if (!was && !asked.isEmpty()) {
                boolean answered = l.await(Session.WAIT_MS);
                asked.forEach(s -> s.waited(answered));
            }
            return l.make(hooks -> weave(loader, classFile, hooks));
        } catch (Throwable t) {
            return null;
        } finally {
            Probe.quiet(was);
        }
    }
}
