/* Thread-locals are one task-storage lookup; the bucket index has no loop. */
syscall::read:entry { self->t = timestamp; }
syscall::read:return /self->t/ { @ = quantize(timestamp - self->t); self->t = 0; }
