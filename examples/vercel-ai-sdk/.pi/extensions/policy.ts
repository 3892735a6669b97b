import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** An unmodified pi extension: refuses deletions, and keeps keys out of what the model reads. */
export default function policy(pi: ExtensionAPI) {
  pi.on("tool_call", (event) => {
    const { command } = event.input as { command?: string };
    if (command?.includes("rm -rf")) return { block: true, reason: "This project does not delete trees." };
    return undefined;
  });
  pi.on("tool_result", (event) => ({
    content: event.content.map((block) =>
      block.type === "text" ? { ...block, text: block.text.replace(/sk-\w+/g, "[key]") } : block,
    ),
  }));
}
