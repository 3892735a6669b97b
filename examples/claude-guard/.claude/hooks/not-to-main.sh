#!/bin/sh
# Exit code 2 refuses the call, and the model reads stderr. The event is JSON on stdin.
if grep -q 'git push.*main'; then
  echo "Push a branch of your own, and open a pull request." >&2
  exit 2
fi
