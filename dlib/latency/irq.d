#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * irq.d: interrupt handlers that run for long. The thread that was interrupted waits for them.
 *
 * Tracker irq, default 4: interrupt handlers
 *   waits for "the interrupt handler {name}": locked, kernel
 *   costs 12 ns a switch; left out 2
 *   groups by curthread
 *   keys by handler: stringof(this->action->name)
 *   irq: the number of the interrupt
 *   name: the handler's name
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
