#include "base/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace tenantctl {

namespace {

volatile std::sig_atomic_t came = 0;

void remember(int) {
    came = 1;
}

} // namespace

void remember_interrupts() {
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaction(signal, &action, nullptr);
}

bool interrupted() {
    return came != 0;
}

} // namespace tenantctl
