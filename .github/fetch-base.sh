#!/usr/bin/env bash
# Checks out what a pull request is compared with: the target branch without the changes of the pull request.
#
#   fetch-base.sh FOLDER
#
# BASE_SHA and HEAD_SHA are those of the pull request. A checkout of a pull request is its merge into the target branch, whose
# first parent is newer than BASE_SHA if the target branch went on. Without the base, the check goes on without it.
set -euo pipefail

folder=${1:?the folder is missing}
# What an earlier use left is another base.
rm -rf "$folder"
git worktree prune
# A shallow clone hides the parents of its commit, but they are in its header.
parents=$(git cat-file commit HEAD | sed -n -e '/^$/q' -e 's/^parent //p')
base=$BASE_SHA
if [ "$(sed -n 2p <<< "$parents")" = "$HEAD_SHA" ]; then
  base=$(head -n 1 <<< "$parents")
fi
if git fetch --quiet --no-tags --depth 1 origin "$base" && git worktree add --quiet --force --detach "$folder" "$base"; then
  echo "Compares with $base."
else
  rm -rf "$folder"
  echo "::warning::The base of the pull request could not be fetched, so the summary does not say what is new. Check out the repository with its credentials before this step."
fi
