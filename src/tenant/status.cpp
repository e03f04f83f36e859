#include "tenant/status.hpp"

namespace tenantctl {

const char* to_text(SiteState state) {
    switch (state) {
    case SiteState::sleeping:
        return "sleeping";
    case SiteState::running:
        return "running";
    case SiteState::starting:
        return "starting";
    case SiteState::failed:
        return "failed";
    case SiteState::stopped:
        return "stopped";
    case SiteState::unknown:
        break;
    }
    return "unknown";
}

} // namespace tenantctl
