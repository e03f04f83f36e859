// What went wrong, for a person and for an exit status.
#pragma once

#include <string>
#include <utility>

namespace tenantctl {

// The kinds that callers tell apart. The exit status of a command follows from it.
enum class Errc {
    failure,   // something on the box refused or broke
    usage,     // the command line is wrong
    not_found, // no such tenant, site or plan
    invalid,   // a spec, a value or a generated configuration is not valid
};

// 1 failure, 2 usage, 4 no such tenant or site, 78 invalid configuration (EX_CONFIG).
constexpr int exit_status(Errc code) {
    switch (code) {
    case Errc::usage:
        return 2;
    case Errc::not_found:
        return 4;
    case Errc::invalid:
        return 78;
    case Errc::failure:
        break;
    }
    return 1;
}

// A message names the thing, the cause and, where there is one, the remedy. It carries no final
// period and no newline, so that it can be wrapped: "Failed to X: MESSAGE".
struct Error {
    Errc code = Errc::failure;
    std::string message;
};

// The same error with what was being done put in front of it.
inline Error wrap(std::string doing, const Error& cause) {
    return Error{cause.code, std::move(doing) + ": " + cause.message};
}

} // namespace tenantctl
