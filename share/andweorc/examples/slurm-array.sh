#!/bin/sh
# A Slurm job array, each task of which records the same program on a node of its
# own: more machines, so intervals that hold on all of them.  Then all logs are one.
#
#	jid=$(sbatch --parsable slurm-array.sh)
#	cat profile.$jid.*.aw | andweorc-resolve | andweorc-analyze --format text
#
# Tasks do not wait for each other: that is what makes separate recordings right.
#SBATCH --array=1-8
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --exclusive
#SBATCH --time=10:00
exec andweorc-record -o "profile.$SLURM_ARRAY_JOB_ID.$SLURM_ARRAY_TASK_ID.aw" -d 120 -P :parallel -- ./prog "input.$SLURM_ARRAY_TASK_ID"
