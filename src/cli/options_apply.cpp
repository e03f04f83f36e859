#include "cli/verb_parser.hpp"

namespace tenantctl {

void define_apply(VerbParser& parser) {
    auto* apply = parser.app().add_subcommand(
        "apply", "Make the box match the specs; finish what was interrupted");
    auto& command = parser.room<Apply>();
    apply->add_option("NAME", command.names, "Tenants (default: all)");
    parser.verb_of(apply, command);
}

} // namespace tenantctl
