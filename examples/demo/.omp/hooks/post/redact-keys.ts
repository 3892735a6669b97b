import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

const KEY = /\b(sk|pk)-[A-Za-z0-9]{16,}\b/g;

/** Removes API keys from the read tool's result before the model sees it. */
export default function redactKeys(omp: HookAPI): void {
  omp.on("tool_result", (event) => {
    if (event.toolName !== "read" || event.isError) return undefined;
    const content = event.content.map((block) =>
      block.type === "text" ? { ...block, text: block.text.replace(KEY, "[key removed]") } : block,
    );
    return { content };
  });
}
