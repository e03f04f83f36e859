#include "base/text.hpp"
#include "cli/context.hpp"
#include "systemd/dbus_unit_manager.hpp"
#include "systemd/offline_unit_manager.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace tenantctl {

namespace {

// Colours and a bounded width only on a terminal; https://no-color.org says when not even there.
Style terminal_style() {
    Style style;
    if (isatty(STDOUT_FILENO) == 0)
        return style;
    const char* no_colour = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    style.colour = (no_colour == nullptr || *no_colour == '\0') &&
                   !(term != nullptr && std::string_view(term) == "dumb");
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        style.width = size.ws_col;
    return style;
}

// As a shell reports a program that SIGPIPE ended, which says nothing either.
constexpr int reader_gone = 128 + SIGPIPE;

void log_to_stderr() {
    auto logger = spdlog::stderr_logger_st("tenantctl");
    logger->set_pattern("tenantctl: %l: %v");
    spdlog::set_default_logger(std::move(logger));
}

int report(const Error& error) {
    print_message(error.message + ".");
    return exit_status(error.code);
}

int run_main(int argc, const char* const* argv) {
    // A change does not end half-way because nobody reads what it prints.
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    log_to_stderr();
    auto parsed = parse_options(argc, argv);
    if (!parsed)
        return report(parsed.error());
    if (const auto* information = std::get_if<Information>(&*parsed)) {
        fmt::print("{}", information->text);
        return 0;
    }
    const auto& options = std::get<Options>(*parsed);
    umask(022); // what is made without a mode of its own is read by nginx and PHP-FPM
    Context context{options.global, Paths(options.global.root), nullptr, terminal_style()};
    if (context.paths.live())
        context.units = std::make_unique<DbusUnitManager>();
    else
        context.units = std::make_unique<OfflineUnitManager>(context.paths.root());
    const auto done =
        std::visit([&](const auto& command) { return run(context, command); }, options.command);
    if (!done)
        return report(done.error());
    print_dry_run(context);
    // A full disk behind a redirection is an error too.
    if (std::fflush(stdout) == 0)
        return 0;
    return errno == EPIPE ? reader_gone : report({Errc::failure, "Failed to write the output"});
}

} // namespace

} // namespace tenantctl

int main(int argc, char** argv) {
    try {
        return tenantctl::run_main(argc, argv);
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::broken_pipe)
            return tenantctl::reader_gone;
        static_cast<void>(std::fprintf(stderr, "tenantctl: %s\n", error.what()));
        return 1;
    } catch (const std::exception& error) { // out of memory, or a fault of ours
        static_cast<void>(std::fprintf(stderr, "tenantctl: %s\n", error.what()));
        return 1;
    }
}
