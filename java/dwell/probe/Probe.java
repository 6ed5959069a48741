// SPDX-License-Identifier: Apache-2.0
/* Declares what the inserted code calls, and the agent's way to dwell: all of it is in native.c. It is defined in the bootstrap
 * loader by the library, so that the methods of every class find it. */
package dwell.probe;

public final class Probe {
    private Probe() {}

    /* A method was entered: the place of its probe and its first arguments, references in o…. */
    public static native void entry(int slot);

    public static native void entry(int slot, long a, long b, long c, long d, long e, long f);

    public static native void entry(
            int slot, long a, long b, long c, long d, long e, long f,
            Object oa, Object ob, Object oc, Object od, Object oe, Object of);

    public static native void entry(
            int slot, long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
            Object oa, Object ob, Object oc, Object od, Object oe, Object of, Object og, Object oh, Object oi, Object oj);

    /* It returns, in this line of source, or 0. */
    public static native void leave(int slot, int line);

    public static native void leave(long value, int slot, int line);

    public static native void leave(Object value, int slot, int line);

    /* An exception leaves it. */
    public static native void thrown(Throwable t, int slot);

    /* The constructor of a class has its object: of that class itself, or of one below, which is nothing. */
    public static native void made(Object o, Class<?> c, int slot);

    /* Does the calling thread hit no probe from now on? What was so before. */
    public static native boolean quiet(boolean on);

    /* Where the places are, and how many. */
    public static native long sites();

    public static native int nsites();

    /* A connection to a socket: its descriptor, -1: none. */
    public static native int connect(String path);

    /* Bytes read; 0 at the end, -1: an error. */
    public static native int read(int fd, byte[] b);

    /* All of b; false: the other end is gone. */
    public static native boolean write(int fd, byte[] b);

    /* Few bytes, if there is room for all at once. */
    public static native boolean writeNow(int fd, byte[] b);

    public static native void close(int fd);
}
