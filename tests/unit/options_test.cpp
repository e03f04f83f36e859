#include "cli/options.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace tenantctl;

namespace {

Result<std::variant<Options, Information>> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "tenantctl");
    return parse_options(static_cast<int>(words.size()), words.data());
}

template <class Verb>
Verb verb(std::vector<const char*> words) {
    const auto parsed = parse(std::move(words));
    REQUIRE_MESSAGE(parsed, parsed.error().message);
    return std::get<Verb>(std::get<Options>(*parsed).command);
}

Error error_of(std::vector<const char*> words) {
    const auto parsed = parse(std::move(words));
    REQUIRE(!parsed);
    return parsed.error();
}

} // namespace

TEST_CASE("add site takes limits, aliases and the rest") {
    const auto command =
        verb<AddSite>({"add", "site", "blog.example", "--tenant", "alpha", "--memory-high=384M",
                       "--memory-max", "448M", "--alias", "a.example", "--alias", "b.example",
                       "--php", "8.2", "--cpu-quota=50%", "--check"});
    CHECK(command.domain == "blog.example");
    CHECK(command.tenant == "alpha");
    CHECK(*command.limits.memory_high == 384ULL * 1024 * 1024);
    CHECK(*command.limits.cpu_quota == 50);
    CHECK(command.aliases == std::vector<std::string>{"a.example", "b.example"});
    CHECK(command.check);
}

TEST_CASE("global options stand before or after the verb") {
    for (const auto& words : {std::vector<const char*>{"--json=short", "list", "--no-legend"},
                              std::vector<const char*>{"list", "--json=short", "--no-legend"}}) {
        const auto parsed = parse(words);
        REQUIRE(parsed);
        const auto& options = std::get<Options>(*parsed).global;
        CHECK(options.json == JsonMode::compact);
        CHECK(!options.legend);
    }
}

TEST_CASE("a word that is not known is answered with the nearest that is") {
    CHECK(error_of({"lsit"}).message.find("did you mean \"list\"?") != std::string::npos);
    CHECK(error_of({"add", "sit", "x"}).message.find("did you mean \"site\"?") !=
          std::string::npos);
    CHECK(error_of({"add", "site", "a.example", "--memory-hihg=1G"})
              .message.find("did you mean \"--memory-high\"?") != std::string::npos);
    CHECK(error_of({"lsit"}).code == Errc::usage);
    CHECK(error_of({}).code == Errc::usage);
    CHECK(error_of({"add", "site"}).code == Errc::usage);
    CHECK(error_of({"list", "--json=xml"}).code == Errc::usage);
}

TEST_CASE("a limit that is none is refused, also an empty one") {
    CHECK(error_of({"add", "site", "a.example", "--memory-high=512"}).code == Errc::invalid);
    CHECK(error_of({"add", "site", "a.example", "--memory-high="}).code == Errc::usage);
    CHECK(error_of({"add", "tenant", "a", "--tasks-max=7"}).code == Errc::invalid);
}

TEST_CASE("help and version are no errors") {
    CHECK(std::holds_alternative<Information>(*parse({"--help"})));
    CHECK(std::get<Information>(*parse({"add", "site", "--help"}))
              .text.find("Usage: tenantctl add site [OPTIONS] DOMAIN") != std::string::npos);
    CHECK(std::get<Information>(*parse({"--version"})).text.find("tenantctl ") == 0);
}
