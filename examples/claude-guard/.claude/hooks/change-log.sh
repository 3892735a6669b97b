#!/bin/sh
# Sends the reply back once, with a reason: the second time, the event says that a hook caused the turn.
if grep -q '"stop_hook_active":true' || [ -e CHANGELOG.md ]; then exit 0; fi
echo '{"decision": "block", "reason": "Write CHANGELOG.md first."}'
