#!/usr/bin/env bash
# Fetches the ledger of a published site, so that the next build can go on with it.
#
#   fetch-ledger.sh BASE_URL FOLDER
#
# A site that is not there yet has none. Any other failure ends the job: a build without the ledger would begin a new one,
# and the addresses of withdrawn runs would be forgotten.
set -euo pipefail

base=${1:?the address of the site is missing} folder=${2:?the folder is missing}
address=${base%/}/feeds/changes.json
mkdir -p "$folder/feeds"
status=$(curl --silent --show-error --location --retry 3 --output "$folder/feeds/changes.json" --write-out '%{http_code}' "$address") || {
  echo "The ledger at $address could not be fetched." >&2
  exit 1
}
case "$status" in
  200) ;;
  404 | 410)
    rm -r "$folder"
    echo "There is no ledger at $address: this build begins one."
    ;;
  *)
    echo "The ledger at $address could not be fetched: the server answered $status." >&2
    exit 1
    ;;
esac
