import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const LONG = 2000;

/** Adds the house rules to the system prompt, and shortens old tool results in each request. */
export default function houseRules(pi: ExtensionAPI): void {
  pi.on("before_agent_start", (event) => ({
    systemPrompt: `${event.systemPrompt}\n\nHouse rules: small changes, and never guess at a file's content.`,
  }));

  pi.on("context", (event) => {
    for (const message of event.messages) {
      if (message.role !== "toolResult") continue;
      for (const block of message.content) {
        if (block.type === "text" && block.text.length > LONG) block.text = `${block.text.slice(0, LONG)}\n[shortened]`;
      }
    }
  });
}
