# Old sessions and uploads go by systemd-tmpfiles, which acts as root in directories of a tenant's:
# nothing else goes, and nothing of anybody else's.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

home=$(home_of blog.example)
beta=$(home_of shop.example)
modes_of() { stat -c '%U:%G %a' "$home"/{public,sessions,tmp} && getfacl -cp "$home/tmp"; }
clean_up_in_days() { # DAYS - as the box's daily timer does
    date --set "+$1 days" >/dev/null
    systemd-tmpfiles --clean
}

as alpha touch "$home/sessions/sess_old" "$home/tmp/upload_old" "$home/public/page_old"
as beta touch "$beta/sessions/sess_beta" "$beta/public/page_beta"
as alpha ln -s "$beta/public" "$home/sessions/beta"
as alpha ln -s /etc "$home/tmp/etc"
before=$(modes_of)
etc=$(find /etc | cksum)

clean_up_in_days 1
is "sessions of yesterday stay" "$(ls "$home/sessions")" $'beta\nsess_old'
clean_up_in_days 2
check "sessions of more than two days are gone" test ! -e "$home/sessions/sess_old"
check "those of another tenant as well" test ! -e "$beta/sessions/sess_beta"
check "uploads stay for ten days" test -e "$home/tmp/upload_old"
as alpha touch "$home/sessions/sess_new"
publish blog.example session.php <<<'<?php session_start(); echo $_SESSION["n"] = 1 + ($_SESSION["n"] ?? 0);'
visit() { fetch blog.example /session.php --cookie "$scratch/jar" --cookie-jar "$scratch/jar"; }
is "a visitor's session" "$(visit) $(visit)" "1 2"
clean_up_in_days 1
is "that is in use stays" "$(visit)" 3
check "and so does a new one" test -e "$home/sessions/sess_new"
clean_up_in_days 8
check "uploads of more than ten days are gone" test ! -e "$home/tmp/upload_old"
check "pages stay" test -e "$home/public/page_old"
check "what a link of a tenant's leads to stays" test -e "$beta/public/page_beta"
is "so does all of /etc" "$(find /etc | cksum)" "$etc"
is "the directories are who they were" "$(modes_of)" "$before"
check "the site is served" serves blog.example

done_testing
