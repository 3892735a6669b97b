import type { HostUi } from "@hookline/runtime";
import type { HookSession } from "@hookline/runtime/session";
import { askForm } from "../mcp/form.ts";
import type { ElicitAnswer, Elicited } from "../mcp/server.ts";

/** A question from a server to the person. */
export interface Elicitation {
  readonly server: string;
  readonly asked: Elicited;
  readonly signal: AbortSignal;
  readonly hooks: HookSession;
  /** The person; absent if nobody can answer. */
  readonly ui: HostUi | undefined;
}

/**
 * Answers a server's question: a hook may, otherwise the person does; without a person it is declined. Hooks see the
 * answer.
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

/** An answer in the form that the server gets; only an accepted one has content. */
function replied(action: ElicitAnswer["action"], content: unknown): ElicitAnswer {
  return { action, ...(action === "accept" && { content: (content ?? {}) as NonNullable<ElicitAnswer["content"]> }) };
}
