// list, status, show: the verbs that only look.
#include "cli/verb_parser.hpp"

namespace tenantctl {

void define_views(VerbParser& parser) {
    auto* list = parser.app().add_subcommand("list", "List tenants and sites");
    auto& listed = parser.room<List>();
    list->add_option("PATTERN", listed.patterns, "Tenants or sites, with * and ?");
    parser.verb_of(list, listed);

    auto* status = parser.app().add_subcommand("status", "Show how tenants are doing");
    auto& looked_at = parser.room<Status>();
    status->add_option("NAME|DOMAIN", looked_at.names, "Tenants or sites")->required();
    parser.verb_of(status, looked_at);

    auto* show = parser.app().add_subcommand("show", "Show tenants or sites as properties");
    auto& shown = parser.room<Show>();
    show->add_option("NAME|DOMAIN", shown.names, "Tenants or sites")->required();
    show->add_option("-p,--property", shown.properties, "Only these properties")
        ->type_name("NAME")
        ->delimiter(',')
        ->allow_extra_args(false);
    parser.verb_of(show, shown);
}

} // namespace tenantctl
