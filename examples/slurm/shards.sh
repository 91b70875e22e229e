#!/bin/sh
#SBATCH --job-name=runpress-shards
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --output=.parts/shard-%a.log
# Builds one shard: the id of the task in the job array is K, and SHARDS is N. To build shard 3 of 4 again, then merge:
#
#     SHARDS=4 sbatch --array=3 examples/slurm/shards.sh
#     SHARDS=4 sbatch examples/slurm/merge.sh
set -eu
: "${SHARDS:?set it to the number of shards}"
part=.parts/$SLURM_ARRAY_TASK_ID-of-$SHARDS
# Status 1 means that runs have errors; the merge reports them.
runpress build --quiet --jobs "${SLURM_CPUS_PER_TASK:-1}" --shard auto --shards "$SHARDS" --out "$part" || test $? -eq 1
