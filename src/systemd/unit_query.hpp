// Asking systemd for properties. Errors name only the cause: the caller says what was being done.
#pragma once

#include "systemd/bus.hpp"
#include "systemd/unit_manager.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tenantctl {

// By when a call that changes nothing has to be answered. Generous: PID 1 answers nobody while it
// reloads or while the kernel reclaims for it.
Bus::Clock::time_point query_deadline();

// The unit's state; loads the unit.
Result<UnitState> query_state(Bus& bus, std::string_view unit);

// Get of one property; a fault, of the name UnknownProperty, when the interface has none of this
// name.
BusReply query_property(Bus& bus, const std::string& object, const std::string& interface,
                        std::string_view name);

// The value in the reply of query_property() as one text.
Result<std::string> property_text(const BusReply& reply);

// The unit's object, and the interface of its type: ".../unit/a_2eslice", "...systemd1.Slice".
std::string unit_object(std::string_view unit);
std::string unit_type_interface(std::string_view unit);

} // namespace tenantctl
