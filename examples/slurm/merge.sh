#!/bin/sh
#SBATCH --job-name=runpress-merge
#SBATCH --output=.parts/merge.log
set -eu
exec runpress merge .parts/*-of-"$SHARDS" --out public
