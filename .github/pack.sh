#!/usr/bin/env bash
# Puts a program with its manual pages, completions and licenses into target/pack, for the archives and the package of a release.
#
#   pack.sh PROGRAM
set -euo pipefail

program=$(realpath "${1:?the program is missing}")
cd "$(dirname "$0")/.."
rm -rf target/pack
mkdir -p target/pack/completions
cp "$program" README.md LICENSE-MIT LICENSE-APACHE target/pack/
"$program" man target/pack/man
for shell in bash elvish fish powershell zsh; do
  "$program" completions "$shell" > "target/pack/completions/runpress.$shell"
done
