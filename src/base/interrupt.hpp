// Ctrl-C and SIGTERM while the box is being changed: the step at work ends, then the rest is
// undone.
#pragma once

namespace tenantctl {

// From here on the first SIGINT, SIGTERM and SIGHUP is remembered and ends nothing; a second one
// does what it always does.
void remember_interrupts();

// True when one of them came.
bool interrupted();

} // namespace tenantctl
