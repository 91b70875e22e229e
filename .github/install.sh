#!/usr/bin/env bash
# Puts the program `runpress` into a folder: a released binary whose checksum is verified, or with the version `source`
# one that is compiled from the checkout that this script stands in.
#
#   install.sh VERSION FOLDER
#
# REPOSITORY names the repository of the releases (`owner/name`); RELEASES, where they stand if not on GitHub.
set -euo pipefail

version=${1:?the version is missing} folder=${2:?the folder is missing}
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

if [ "$version" = source ]; then
  # Run there: the toolchain and the settings of cargo that the caller's folder asks for are not meant for runpress.
  # Without `serve`, which CI does not need.
  (cd "$here" && cargo install --locked --quiet --path . --no-default-features --features minify --root "$folder")
  mv "$folder/bin/runpress" "$folder/runpress"
else
  version=${version#v}
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) target=x86_64-unknown-linux-musl ;;
    Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
    *)
      echo "Released binaries are installed on Linux only, not for $(uname -s) on $(uname -m). Use the version \`source\`." >&2
      exit 1
      ;;
  esac
  from=${RELEASES:-https://github.com/${REPOSITORY:?the repository of the releases is missing}/releases/download}/v$version
  archive=runpress-$version-$target.tar.gz
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  for file in "$archive" SHA256SUMS; do
    curl --fail --silent --show-error --location --retry 3 --output "$work/$file" "$from/$file"
  done
  # Exactly one line of the list must be that of the archive, or nothing would be verified.
  if ! grep -E "^[0-9a-f]{64} [ *]$archive\$" "$work/SHA256SUMS" > "$work/sum" || [ "$(wc -l < "$work/sum")" != 1 ]; then
    echo "SHA256SUMS of version $version has no line for $archive. Nothing was installed." >&2
    exit 1
  fi
  if ! (cd "$work" && sha256sum --check --strict --quiet sum); then
    echo "The checksum of $archive is not that of the release. Nothing was installed." >&2
    exit 1
  fi
  tar --extract --gzip --file "$work/$archive" --directory "$folder" --no-same-owner runpress
fi

"$folder/runpress" --version
if [ -n "${GITHUB_PATH:-}" ]; then echo "$folder" >> "$GITHUB_PATH"; fi
