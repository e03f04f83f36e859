// The command line as values. CLI11 is confined to options*.cpp and verb_parser.hpp.
#pragma once

#include "base/result.hpp"
#include "tenant/limits.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tenantctl {

enum class JsonMode { off, pretty, compact };

struct GlobalOptions {
    std::string root; // --root=
    JsonMode json = JsonMode::off;
    bool legend = true;
    bool dry_run = false;
    bool verbose = false;
};

struct AddTenant {
    std::string name;
    std::optional<std::string> plan;
    Limits limits;
};
struct AddSite {
    std::string domain;
    std::optional<std::string> tenant;
    std::optional<std::string> plan;
    Limits limits;
    std::optional<std::string> php;
    std::vector<std::string> aliases;
    std::optional<std::string> root;
    bool check = false;
};
struct RemoveSite {
    std::vector<std::string> domains;
    bool purge = false;
};
struct RemoveTenant {
    std::vector<std::string> names;
    bool with_sites = false;
    bool purge = false;
};
struct Apply {
    std::vector<std::string> names; // empty: all
};
struct List {
    std::vector<std::string> patterns;
};
struct Status {
    std::vector<std::string> names;
};
struct Show {
    std::vector<std::string> names;
    std::vector<std::string> properties;
};

using Command =
    std::variant<AddTenant, AddSite, RemoveSite, RemoveTenant, Apply, List, Status, Show>;

struct Options {
    GlobalOptions global;
    Command command;
};

// Text for standard output and the end: --help, --version.
struct Information {
    std::string text;
};

// A verb of the command line as the manual has to document it.
struct VerbHelp {
    std::string name; // "add site"
    std::vector<std::string> options;
};

// Errc::usage with the nearest known word when a verb or an option is not known; Errc::invalid for
// a limit that is not one.
Result<std::variant<Options, Information>> parse_options(int argc, const char* const* argv);

// All verbs and their options, for the test that holds the manual and the completions against them.
std::vector<VerbHelp> all_verbs();

} // namespace tenantctl
