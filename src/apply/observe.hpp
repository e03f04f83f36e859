// What the box shows of the things that steps name.
#pragma once

#include "apply/box.hpp"
#include "tenant/step.hpp"

namespace tenantctl {

// Looks at exactly what `satisfied` and `undo_of` need for these steps. Loads no unit.
Result<Observed> observe(const Box& box, const Steps& steps);

// True when the unit is to make a file, and the file is not there: whoever removed a socket's file
// left it active and out of everybody's reach.
bool lacks_file(const Paths& paths, const StartUnit& step);

} // namespace tenantctl
