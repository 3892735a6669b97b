import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** A pi extension as it is: two calls a session. Each session has a copy of its own, so nobody shares the count. */
export default function quota(pi: ExtensionAPI) {
  let calls = 0;
  pi.on("tool_call", () => (++calls > 2 ? { block: true, reason: "Two calls a session." } : undefined));
}
