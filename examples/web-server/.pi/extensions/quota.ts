import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** An unmodified pi extension: two calls per session. Each session has its own copy, so the count is not shared. */
export default function quota(pi: ExtensionAPI) {
  let calls = 0;
  pi.on("tool_call", () => (++calls > 2 ? { block: true, reason: "Two calls a session." } : undefined));
}
