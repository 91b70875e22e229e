#!/usr/bin/env bash
# Writes a report as a comment on a pull request, or replaces the comment that an earlier use wrote.
#
#   comment.sh FILE NAME
#
# NAME tells the comments of several sites apart. GH_TOKEN, REPOSITORY and NUMBER say where. The token of a pull request from a
# fork may not comment: then a notice says where the report is instead.
set -euo pipefail

file=${1:?the file is missing} name=${2:?the name is missing}
# Digits and letters only, so that nothing ends the comment in the comment.
export MARKER="<!-- runpress ${name//[^A-Za-z0-9]/-} -->"
body=$(mktemp)
trap 'rm -f "$body"' EXIT
{ echo "$MARKER"; cat "$file"; } > "$body"
comments=repos/$REPOSITORY/issues
find='.[] | select(.user.type == "Bot" and (.body | startswith(env.MARKER))) | .id'
if id=$(gh api --paginate "$comments/$NUMBER/comments" --jq "$find" | head -n 1) && if [ -n "$id" ]; then
  gh api --silent --method PATCH "$comments/comments/$id" --field "body=@$body"
else
  gh api --silent --method POST "$comments/$NUMBER/comments" --field "body=@$body"
fi; then
  echo "Commented on pull request $NUMBER."
else
  echo "::notice::The report is in the summary of this job: its token may not comment on the pull request."
fi
