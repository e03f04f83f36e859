// Properties of a unit as they come over D-Bus, and the state that they make.
#pragma once

#include "base/result.hpp"
#include "systemd/unit_manager.hpp"

#include <systemd/sd-bus.h>

#include <map>
#include <string>
#include <vector>

namespace tenantctl {

// Each value as text: one string for a simple type, several for a list of strings.
using Properties = std::map<std::string, std::vector<std::string>, std::less<>>;

// One variant as text. Other types than strings, numbers, booleans and lists of strings are
// skipped and leave `texts` empty. Negative errno when the message is not what it should be.
int read_variant(sd_bus_message* message, std::vector<std::string>& texts);

// The reply of GetAll. Negative errno when the message is not what it should be.
int read_properties(sd_bus_message* message, Properties& properties);

// The state that the properties of a unit of any type describe.
UnitState unit_state(const Properties& properties);

} // namespace tenantctl
