// SPDX-License-Identifier: Apache-2.0
/* A class that is being loaded, and that some session wants: the thread that loads it waits for the sessions, for a moment. */
package dwell.inner;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

final class Loading {
    final String name;
    final ClassLoader loader;
    final List<String> methods;
    private final Map<String, List<Hooks.Hook>> hooks = new HashMap<>();
    private int open; /* sessions that have not answered */
    private boolean over; /* the code was made, or nobody waited for it */
    private boolean inserted;
    private Throwable wrong;

    Loading(String name, ClassLoader loader, List<String> methods) {
        this.name = name;
        this.loader = loader;
        this.methods = methods;
    }

    boolean is(Class<?> c) {
        return c.getClassLoader() == loader && c.getName().equals(name);
    }

    synchronized void asked() {
        open++;
    }

    synchronized void add(String method, Hooks.Hook h) {
        hooks.computeIfAbsent(method, k -> new ArrayList<>()).add(h);
        inserted &= !over;
    }

    /* A session has said what it wants. When this returns, the code is made, if the loading thread is still there to do it. */
    synchronized void answered(long wait) throws Exception {
        open--;
        notifyAll();
        for (long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(wait), left = wait; !over && open <= 0 && left > 0; ) {
            wait(left);
            left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        }
        if (wrong != null) {
            throw new IllegalStateException(wrong.toString());
        }
    }

    /* Waits for the sessions. Did they all answer? */
    synchronized boolean await(long wait) {
        boolean interrupted = false;
        for (long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(wait), left = wait; open > 0 && left > 0; ) {
            try {
                wait(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return open <= 0;
    }

    interface Maker {
        byte[] make(Map<String, List<Hooks.Hook>> hooks) throws Throwable;
    }

    /* The code with what is known now, or null. */
    synchronized byte[] make(Maker m) {
        byte[] code = null;
        over = true;
        try {
            code = hooks.isEmpty() ? null : m.make(hooks);
            inserted = code != null;
        } catch (Throwable t) {
            wrong = t;
        }
        notifyAll();
        return code;
    }

    synchronized boolean isInserted() {
        return inserted;
    }

    /* Moves what is wanted to the class. Is it in the code? */
    synchronized boolean moveTo(Map<String, List<Hooks.Hook>> to) {
        hooks.forEach((k, l) -> to.computeIfAbsent(k, n -> new ArrayList<>()).addAll(l));
        return inserted;
    }

    synchronized void drop(Object owner) {
        for (List<Hooks.Hook> l : hooks.values()) {
            l.removeIf(h -> h.owner == owner);
        }
    }
}
