// remove site, remove tenant.
#include "cli/verb_parser.hpp"

namespace tenantctl {

void define_remove(VerbParser& parser) {
    auto* remove = parser.app().add_subcommand("remove", "Remove sites or tenants");
    remove->require_subcommand(1);
    auto* site = remove->add_subcommand("site", "Remove sites; their files stay");
    auto& sites = parser.room<RemoveSite>();
    site->add_option("DOMAIN", sites.domains, "Sites to remove")->required();
    site->add_flag("--purge", sites.purge, "Delete the sites' files and logs too");
    parser.verb_of(site, sites);

    auto* tenant = remove->add_subcommand("tenant", "Remove tenants; their files stay");
    auto& tenants = parser.room<RemoveTenant>();
    tenant->add_option("NAME", tenants.names, "Tenants to remove")->required();
    tenant->add_flag("--with-sites", tenants.with_sites, "Remove their sites too");
    tenant->add_flag("--purge", tenants.purge, "Delete their homes and logs too");
    parser.verb_of(tenant, tenants);
}

} // namespace tenantctl
