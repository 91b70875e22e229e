#!/bin/sh
#SBATCH --job-name=runpress-shards
#SBATCH --array=1-4
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --output=.parts/shard-%a.log
# Builds one shard. `--shard auto` reads K and N from the job array.
set -eu
part=.parts/$SLURM_ARRAY_TASK_ID-of-$SLURM_ARRAY_TASK_COUNT
# Status 1 means that runs have errors; the merge reports them.
runpress build --quiet --jobs "${SLURM_CPUS_PER_TASK:-1}" --shard auto --out "$part" || test $? -eq 1
