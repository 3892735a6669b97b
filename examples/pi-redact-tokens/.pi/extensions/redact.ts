import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const TOKEN = /\b(sk|ghp|xox[bp])[-_][A-Za-z0-9_-]{16,}/g;

/** Removes tokens from tool results before they are shown to the model and stored. */
export default function redact(pi: ExtensionAPI) {
  pi.on("tool_result", ({ content }) => ({
    content: content.map((part) =>
      part.type === "text" ? { ...part, text: part.text.replace(TOKEN, "[token]") } : part,
    ),
  }));
}
