#!/bin/sh
# Builds the shards in one job and merges them in a second:
#
#     sh examples/kubernetes/submit.sh
#
# Prints the log of the merge. Status 1: the site was not published, for the reason in the log.
set -eu
here=$(dirname "$0")

# Waits until a job has ended, and prints Complete or Failed. A failed job never gets the condition Complete.
ended() {
  while true; do
    conditions=$(kubectl get job "$1" --output 'jsonpath={range .status.conditions[?(@.status=="True")]}{.type}{"\n"}{end}')
    if printf '%s\n' "$conditions" | grep -xE 'Complete|Failed'; then return; fi
    sleep "${SECONDS_BETWEEN:-10}"
  done
}

# Jobs of the last build would otherwise count as these.
kubectl delete job runpress-shards runpress-merge --ignore-not-found
kubectl create --filename "$here/shards.yaml"
ended runpress-shards
kubectl create --filename "$here/merge.yaml"
result=$(ended runpress-merge)
kubectl logs job/runpress-merge
test "$result" = Complete
