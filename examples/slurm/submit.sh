#!/bin/sh
# Builds the site in the current folder as a job array, one job per shard, then merges it in a second job. All nodes must see the folder:
#
#     sh examples/slurm/submit.sh [SHARDS]
#
# Prints the id of the merge job, which logs to .parts/merge.log.
set -eu
here=$(dirname "$0")
export SHARDS="${1:-4}"
mkdir -p .parts
array=$(sbatch --parsable --array="1-$SHARDS" "$here/shards.sh")
# If a shard fails, the merge is canceled instead of waiting forever.
sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes "$here/merge.sh"
