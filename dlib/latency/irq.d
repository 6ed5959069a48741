#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * irq.d: handlers of interrupts that run for long; whom they interrupt waits for them.
 *
 * Attributes of slow events: irq: its number; name: of the handler. The thread is the one that was interrupted.
 */
#pragma D option quiet
#pragma D option noself

tracker irq () { threshold = 1ms; limit = 100; }

sdt:irq::irq_handler_entry
{
	begin(irq);
}

sdt:irq::irq_handler_exit
{
	this->irq = args[0];
	this->action = args[1];
	end(irq);
}

latency:irq::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("irq", this->irq, "name", stringof(this->action->name));
}
