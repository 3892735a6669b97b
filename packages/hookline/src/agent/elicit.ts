import type { HostUi } from "@hookline/runtime";
import type { HookSession } from "@hookline/runtime/session";
import { askForm } from "../mcp/form.ts";
import type { ElicitAnswer, Elicited } from "../mcp/server.ts";

/** A question that an MCP server asks the person. */
export interface Elicitation {
  readonly server: string;
  readonly asked: Elicited;
  readonly signal: AbortSignal;
  readonly hooks: HookSession;
  /** The user interface; absent if no person can answer. */
  readonly ui: HostUi | undefined;
}

/**
 * Answers a server's question: with a hook's answer if there is one, otherwise with the person's. Without a person, the
 * question is declined. Hooks on `mcp.elicited` may change the answer.
 */
export async function elicit({ server, asked, signal, hooks, ui }: Elicitation): Promise<ElicitAnswer> {
  const about = {
    server,
    message: asked.message,
    mode: "requestedSchema" in asked ? ("form" as const) : ("url" as const),
  };
  const schema = "requestedSchema" in asked ? asked.requestedSchema : undefined;
  const { answer } = await hooks.emit("mcp.elicit", { ...about, ...(schema !== undefined && { schema }) }, { signal });
  const said: ElicitAnswer =
    answer.action !== undefined
      ? replied(answer.action, answer.content)
      : schema === undefined || ui === undefined
        ? { action: "decline" }
        : await askForm(ui, { server, message: asked.message, schema, signal });
  const { action, content } = said;
  const told = await hooks.emit(
    "mcp.elicited",
    { ...about, action, ...(content !== undefined && { content }) },
    { signal },
  );
  const last = told.answer.action ?? action;
  return replied(last, told.answer.content ?? content);
}

/** Makes the answer for the server. Only an accepted answer has content. */
function replied(action: ElicitAnswer["action"], content: unknown): ElicitAnswer {
  return { action, ...(action === "accept" && { content: (content ?? {}) as NonNullable<ElicitAnswer["content"]> }) };
}
