// verify_http: a request as a visitor would make it, and a look at whose server block answered.
#include "apply/verify.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>

namespace tenantctl {

namespace {

constexpr std::uint16_t http_port = 80;
constexpr timeval patience{60, 0}; // a first request starts PHP
// For a moment after its reload, nginx's old workers still answer, which do not know the site.
constexpr std::chrono::seconds takeover{10};

Error failed(const std::string& domain, const std::string& why) {
    return Error{Errc::failure, fmt::format("Failed to fetch http://{}/: {}", domain, why)};
}

// A request's answer: its status line.
Result<std::string> fetch(const std::string& domain, const std::string& user_agent) {
    const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(http_port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!fd || setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ||
        connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0)
        return failed(domain, errno_text(errno) + "; is nginx running?");
    const auto request =
        fmt::format("GET / HTTP/1.0\r\nHost: {}\r\nUser-Agent: {}\r\n\r\n", domain, user_agent);
    if (send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
        return failed(domain, errno_text(errno));
    std::array<char, 64> answer{};
    const ssize_t got = recv(fd.get(), answer.data(), answer.size(), MSG_WAITALL);
    if (got <= 0)
        return failed(domain, got == 0 ? "no answer" : errno_text(errno));
    const std::string text(answer.data(), static_cast<std::size_t>(got));
    return text.substr(0, text.find('\r'));
}

int status_of(std::string_view line) {
    int status = 0;
    if (line.starts_with("HTTP/1.") && line.size() >= 12)
        std::from_chars(line.data() + 9, line.data() + 12, status);
    return status;
}

// Whether the site's log has the request among its last ones. Each site has a log of its own, so
// this says that the site's server block took it, and not the one for names that are nobody's.
bool is_logged(const std::string& log, std::string_view user_agent) {
    const UniqueFd fd(open(log.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat info {};
    if (!fd || fstat(fd.get(), &info) < 0)
        return false;
    std::string tail(65536, '\0');
    const auto start = std::max<off_t>(0, info.st_size - static_cast<off_t>(tail.size()));
    const ssize_t got = pread(fd.get(), tail.data(), tail.size(), start);
    return got > 0 &&
           std::string_view(tail).substr(0, static_cast<std::size_t>(got)).find(user_agent) !=
               std::string_view::npos;
}

bool is_logged_soon(const std::string& log, std::string_view user_agent) {
    // nginx writes the line right after the answer.
    for (int tries = 0; tries < 10; ++tries) {
        if (is_logged(log, user_agent))
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
}

} // namespace

Result<void> verify_http(const std::string& domain) {
    const auto log = fmt::format("{}/{}/access.log", box_path::web_logs, domain);
    const auto deadline = std::chrono::steady_clock::now() + takeover;
    for (;;) {
        // No other request has it, of whatever time.
        const auto user_agent = fmt::format(
            "tenantctl-check/{}", std::chrono::system_clock::now().time_since_epoch().count());
        const auto line = TRY(fetch(domain, user_agent));
        if (is_logged_soon(log, user_agent)) {
            const int status = status_of(line);
            if (status >= 200 && status < 500)
                return {};
            return failed(domain, fmt::format("the answer was \"{}\"; see journalctl -u php-fpm@{}",
                                              escaped(line), domain));
        }
        if (std::chrono::steady_clock::now() >= deadline)
            return failed(domain,
                          fmt::format("the answer \"{}\" did not come from the site ({} has no "
                                      "such request); does another server block of nginx's have "
                                      "this name? See nginx -T",
                                      escaped(line), log));
    }
}

} // namespace tenantctl
