# For test files of changes that fail: a site that is there all the time, and what must not change.
# shellcheck shell=bash

answers() { [[ $(fetch "$1" / -o /dev/null -w '%{http_code}') == "$2" ]]; }
no_unit_failed() { is "$1" "$(systemctl --failed --plain --no-legend)" ""; }

public=/srv/tenants/keep/sites/keep.example/public
check "(a site that is there all the time)" tenantctl add site keep.example --tenant keep
echo '<?php echo "still here";' >$public/index.php
chown keep:keep $public/index.php
remember
