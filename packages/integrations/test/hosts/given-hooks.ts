import { createHookRuntime, type HookSession } from "@hookline/runtime/session";

/** Texts that the given hooks refuse, rewrite and remove. */
const REFUSED = "marker";

/**
 * A session with the hooks of which every recorded call is asked: a guard, an argument rewrite, an `ask`, a redactor,
 * context at every moment that takes it, and a stop hook that never lets go.
 */
export async function givenHooks(cwd: string): Promise<{ readonly session: HookSession; close(): Promise<void> }> {
  const runtime = createHookRuntime({ dialects: [] });
  const session = await runtime.open({ scene: { sessionId: "given", cwd } });
  session.on("session.start", () => ({ additionalContext: "START-CONTEXT" }));
  session.on("prompt.before", ({ text }) => ({ additionalContext: "PROMPT-CONTEXT", text: `${text}\n\nADDED` }));
  session.on("tool.before", ({ tool, args }) => {
    const command = String(args["command"] ?? "");
    if (command.includes(REFUSED)) return { decision: "deny", reason: "no markers" };
    if (command.startsWith("cat ")) return { args: { ...args, command: `${command} | head` } };
    if (tool.startsWith("mcp__")) return { decision: "ask", reason: "a server is asked" };
    return { additionalContext: "CALL-CONTEXT" };
  });
  session.on("tool.after", ({ content }) => ({
    content: content.map((block) =>
      block.type === "text" ? { ...block, text: block.text.replaceAll("small", "[redacted]") } : block,
    ),
    additionalContext: "RESULT-CONTEXT",
  }));
  session.on("agent.stop", ({ reply }) => ({ feedback: `GO-ON after ${reply}` }));
  return { session, close: () => runtime.close() };
}
