#!/bin/sh
# Builds the site in the current folder, which all nodes see, as shards of a job array. A second job merges them when all have succeeded:
#
#     sh examples/slurm/submit.sh [SHARDS]
#
# It prints the number of the job that merges; .parts/merge.log has what that job reports.
set -eu
here=$(dirname "$0")
export SHARDS="${1:-4}"
mkdir -p .parts
array=$(sbatch --parsable --array="1-$SHARDS" "$here/shards.sh")
# If a shard fails, the merge is canceled instead of waiting forever.
sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes "$here/merge.sh"
