// SPDX-License-Identifier: Apache-2.0
/* Answers what one run of dwell asks, line by line, in a thread of its own: which classes and methods there are, and which of
 * them are to hit a probe. When the connection ends, in whatever way, the code is as before. */
package dwell.inner;

import dwell.probe.Probe;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

final class Session implements Runnable {
    private final int fd;
    private final Hooks hooks;
    private final String version;
    static final int WAIT_MS = 250; /* a thread that loads a class waits no longer for dwell */
    private static final int MAX_LATE = 8; /* waits in a row that ended without an answer: then nobody waits any more */
    private static final int CATCH_UP = 100; /* times 10 ms, for a class that was loaded meanwhile */
    private final List<Object> classes = new ArrayList<>(); /* Class or Loading, by number; its lock is its own */
    private final List<Pattern> wanted = new CopyOnWriteArrayList<>();
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean live; /* dwell listens */
    private volatile int late;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Session(int fd, Hooks hooks, String version) {
        this.fd = fd;
        this.hooks = hooks;
        this.version = version;
    }

    @Override
    public void run() {
        Probe.quiet(true);
        try {
            byte[] b = new byte[65536];
            StringBuilder line = new StringBuilder();
            tell("sites " + Probe.sites() + " " + Probe.nsites() + " " + version);
            for (int n; (n = flush() ? Probe.read(fd, b) : 0) > 0; ) {
                for (int i = 0; i < n; i++) {
                    if (b[i] != '\n') {
                        line.append((char) (b[i] & 0xff));
                        continue;
                    }
                    answer(new String(line.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
                    line.setLength(0);
                }
            }
        } finally {
            hooks.drop(this);
            tell("gone");
            flush();
            Probe.close(fd);
        }
    }

    private void tell(String s) {
        byte[] b = (s + "\n").getBytes(StandardCharsets.UTF_8);
        out.write(b, 0, b.length);
    }

    private boolean flush() {
        byte[] b = out.toByteArray();
        out.reset();
        writing.lock();
        try {
            return b.length == 0 || Probe.write(fd, b);
        } finally {
            writing.unlock();
        }
    }

    /* A pattern of D over names with dots for dollars, too. */
    static Pattern pattern(String glob) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            int end = c == '[' ? glob.indexOf(']', i + 2) : -1;
            if (c == '*' || c == '?') {
                b.append(c == '*' ? ".*" : ".");
            } else if (end > 0) {
                String set = glob.substring(i + 1, end).replace("\\", "\\\\").replace("[", "\\[").replace("&", "\\&");
                b.append('[').append(set.startsWith("!") ? "^" + set.substring(1) : set).append(']');
                i = end;
            } else {
                b.append(Pattern.quote(String.valueOf(c == '\\' && i + 1 < glob.length() ? glob.charAt(++i) : c)));
            }
        }
        return Pattern.compile(b.toString(), Pattern.DOTALL);
    }

    boolean wants(String name) {
        for (Pattern p : wanted) {
            if (p.matcher(name).matches() || name.indexOf('$') >= 0 && p.matcher(name.replace('$', '.')).matches()) {
                return true;
            }
        }
        return false;
    }

    /* Tells dwell of a class that is being loaded. Will there be an answer that is worth waiting for? */
    boolean ask(Loading l) throws InterruptedException {
        int i;
        synchronized (classes) {
            i = classes.size();
            classes.add(l);
        }
        if (!writing.tryLock(WAIT_MS, TimeUnit.MILLISECONDS)) {
            return false;
        }
        try {
            if (!Probe.writeNow(fd, ("loading " + i + " " + l.name + "\n").getBytes(StandardCharsets.UTF_8))) {
                return false;
            }
        } finally {
            writing.unlock();
        }
        if (!live || late >= MAX_LATE) {
            return false;
        }
        l.asked();
        return true;
    }

    void waited(boolean answered) {
        late = answered ? 0 : late + 1;
    }

    private Object at(String number) {
        synchronized (classes) {
            return classes.get(Integer.parseInt(number));
        }
    }

    private void list() {
        List<Class<?>> all = new ArrayList<>();
        hooks.classes(all);
        for (Class<?> c : all) {
            int i;
            synchronized (classes) {
                i = classes.size();
                classes.add(c);
            }
            tell("class " + i + " " + c.getName());
        }
    }

    /* Classes of the pattern that were loaded since the list was made are as if they came now. */
    private void watch(String glob) {
        Pattern p = pattern(glob);
        List<Class<?>> all = new ArrayList<>();
        wanted.add(p);
        hooks.watch(this);
        hooks.classes(all);
        synchronized (classes) {
            all.removeAll(new java.util.HashSet<>(classes));
            for (Class<?> c : all) {
                boolean known = classes.stream().anyMatch(k -> k instanceof Loading && ((Loading) k).is(c));
                if (!known && wants(c.getName())) {
                    tell("loading " + classes.size() + " " + c.getName());
                    classes.add(c);
                }
            }
        }
    }

    /* Loads a class of a program that has not begun, and does not initialise it. D has dots for dollars. A class loader of the
     * program is not called. */
    private void load(String name) {
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        if (!loader.getClass().getName().matches("(jdk\\.internal\\.loader|sun\\.misc)\\..*")) {
            return;
        }
        for (int dot = name.length(); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
            name = dot < name.length() ? name.substring(0, dot) + "$" + name.substring(dot + 1) : name;
            try {
                Class.forName(name, false, loader);
                return;
            } catch (ClassNotFoundException | LinkageError e) {
                continue;
            }
        }
    }

    private void answer(String line) {
        String[] names = line.split("\t"); /* which may have blanks */
        String[] w = names[0].split(" ");
        String wrong = null;
        try {
            switch (w[0]) {
                case "classes":
                    list();
                    break;
                case "load": /* name of a class */
                    load(names[1]);
                    break;
                case "watch": /* pattern of classes */
                    watch(names[1]);
                    break;
                case "live":
                    live = true;
                    break;
                case "done": /* with a class that was being loaded */
                    Object o = at(w[1]);
                    if (o instanceof Loading) {
                        ((Loading) o).answered(WAIT_MS);
                        wrong = hooks.catchUp((Loading) o, w[2].equals("0") ? 0 : CATCH_UP);
                    }
                    break;
                case "methods":
                    Object c = at(w[1]);
                    for (String m : c instanceof Loading ? ((Loading) c).methods : Hooks.methods((Class<?>) c)) {
                        tell("method " + m);
                    }
                    break;
                case "slot":
                    tell("slot " + hooks.slot(this));
                    break;
                case "on": /* class kind slot, name, descriptor */
                    Object to = at(w[1]);
                    if (to instanceof Loading) {
                        hooks.add(this, (Loading) to, w[2].charAt(0), Integer.parseInt(w[3]), names[1] + names[2]);
                    } else {
                        hooks.add(this, (Class<?>) to, w[2].charAt(0), Integer.parseInt(w[3]), names[1] + names[2]);
                    }
                    return; /* no answer */
                case "go":
                    wrong = hooks.apply();
                    break;
                case "off":
                    hooks.drop(this);
                    break;
                default:
                    throw new IllegalArgumentException(line);
            }
            tell(wrong == null ? "." : "! " + wrong.replace('\n', ' '));
        } catch (Throwable t) {
            tell("! " + t.toString().replace('\n', ' '));
        }
    }
}
