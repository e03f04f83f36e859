// Text that means something to a pool file, a virtual host, a unit or a shell, built into a value
// that would be fine without it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenantctl {

inline std::vector<std::string> hostile_variants(const std::string& good) {
    using namespace std::string_view_literals;
    constexpr std::string_view pieces[] = {
        "\n"sv,
        "\r"sv,
        "\t"sv,
        "\0"sv,
        "\x1b[2J"sv,
        "\x7f"sv,
        "\x80"sv,
        "\""sv,
        "'"sv,
        "`"sv,
        "\\"sv,
        ";"sv,
        "#"sv,
        "$"sv,
        "${HOME}"sv,
        "$pool"sv,
        "$document_root"sv,
        "%"sv,
        "%i"sv,
        "["sv,
        "]"sv,
        "{"sv,
        "}"sv,
        "("sv,
        ")"sv,
        "="sv,
        ","sv,
        " "sv,
        "*"sv,
        "~"sv,
        "|"sv,
        "&"sv,
        "<"sv,
        ">"sv,
        "!"sv,
        "@"sv,
        "@{domain}"sv,
        "\nuser = root\n"sv,
        "\n[other]\n"sv,
        "; } server { listen 81; "sv,
        "\nUser=root\n"sv,
        "/../"sv,
        "//"sv,
    };
    std::vector<std::string> variants = {""};
    for (const auto piece : pieces) {
        const std::string bad(piece);
        variants.push_back(bad + good);
        variants.push_back(good + bad);
        variants.push_back(good.substr(0, good.size() / 2) + bad + good.substr(good.size() / 2));
    }
    return variants;
}

} // namespace tenantctl
