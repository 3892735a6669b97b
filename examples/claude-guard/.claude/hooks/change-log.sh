#!/bin/sh
# Sends the reply back with a reason, once: the second time the event says that a hook is the cause.
if grep -q '"stop_hook_active":true' || [ -e CHANGELOG.md ]; then exit 0; fi
echo '{"decision": "block", "reason": "Write CHANGELOG.md first."}'
