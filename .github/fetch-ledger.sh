#!/usr/bin/env bash
# Fetches the ledger of a published site, so that the next build can go on with it.
#
#   fetch-ledger.sh BASE_URL FOLDER
#
# A large ledger is a file that lists more files, its parts; they are fetched with it.
# A site that is not there yet has none, which is what the status 404 says; FOLDER is then not there. Any other failure ends
# the job: a build without the ledger would begin a new one, and the addresses of withdrawn runs would be forgotten.
set -euo pipefail

base=${1:?the address of the site is missing} folder=${2:?the folder is missing}
address=${base%/}/feeds/changes.json ledger=$folder/feeds/changes.json
# What an earlier use left is not what is published now.
rm -rf "$folder"
mkdir -p "$folder/feeds"
# Hosts keep answers for some minutes. A query that is new each time asks for the ledger as it is.
query="run=${GITHUB_RUN_ID:-0}-$(date +%s)"
status=$(curl --silent --show-error --location --retry 3 --output "$ledger" --write-out '%{http_code}' "$address?$query") || {
  echo "Could not fetch the ledger at $address." >&2
  exit 1
}
case "$status" in
  200)
    if [ "$(head -c 1 "$ledger")" != '{' ] || ! grep -q '"schemaVersion"' "$ledger"; then
      echo "The response of $address is not a ledger. Private sites respond with their login page; in that case fetch the ledger some other way and pass its folder with \`runpress build --previous\`." >&2
      exit 1
    fi
    # Their names change with their content, so no host has an old answer for one.
    for part in $(grep -o '"path":"feeds/changes/[a-z0-9-]*[.]json"' "$ledger" | cut -d '"' -f 4); do
      mkdir -p "$folder/feeds/changes"
      curl --silent --show-error --fail --location --retry 3 --output "$folder/$part" "${base%/}/$part" || {
        echo "Could not fetch a part of the ledger at ${base%/}/$part." >&2
        exit 1
      }
    done
    ;;
  404)
    rm -r "$folder"
    echo "There is no ledger at $address: this build begins one."
    ;;
  *)
    echo "Could not fetch the ledger at $address: status $status." >&2
    exit 1
    ;;
esac
