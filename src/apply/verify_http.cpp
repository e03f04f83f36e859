// verify_http: one request, as a visitor would make it.
#include "apply/verify.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace tenantctl {

namespace {

constexpr std::uint16_t http_port = 80;
constexpr timeval patience{60, 0}; // a first request starts PHP

Error failed(const std::string& domain, const std::string& why) {
    return Error{Errc::failure, fmt::format("Failed to fetch http://{}/: {}", domain, why)};
}

} // namespace

Result<void> verify_http(const std::string& domain) {
    const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(http_port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!fd || setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ||
        connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0)
        return failed(domain, errno_text(errno) + "; is nginx running?");
    const auto request =
        fmt::format("GET / HTTP/1.0\r\nHost: {}\r\nUser-Agent: tenantctl\r\n\r\n", domain);
    if (send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
        return failed(domain, errno_text(errno));
    std::array<char, 64> answer{};
    const ssize_t got = recv(fd.get(), answer.data(), answer.size(), MSG_WAITALL);
    if (got <= 0)
        return failed(domain, got == 0 ? "no answer" : errno_text(errno));
    const std::string_view line(answer.data(), static_cast<std::size_t>(got));
    int status = 0;
    if (line.starts_with("HTTP/1.") && line.size() > 12)
        std::from_chars(line.data() + 9, line.data() + 12, status);
    if (status < 200 || status >= 500)
        return failed(domain, fmt::format("the answer was \"{}\"; see journalctl -u php-fpm@{}",
                                          escaped(line.substr(0, line.find('\r'))), domain));
    return {};
}

} // namespace tenantctl
