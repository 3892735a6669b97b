import type { Talk } from "./observe.ts";

const asked = new WeakMap<Talk, number>();

/** Sends a command of the RPC mode and waits for its response. */
export async function ask(
  talk: Talk,
  command: { readonly type: string } & Readonly<Record<string, unknown>>,
): Promise<any> {
  const count = (asked.get(talk) ?? 0) + 1;
  asked.set(talk, count);
  const id = `${count} ${command.type}`;
  talk.send({ id, ...command });
  return talk.next((line) => line.type === "response" && line.id === id);
}

/** Sends a prompt and waits until the agent has settled. */
export async function prompt(talk: Talk, message: string): Promise<void> {
  talk.send({ type: "prompt", message });
  await talk.next((line) => line.type === "agent_settled");
}

/** Waits for the next question to the person, answers it, and gives the question. */
export async function answer(talk: Talk, reply: Readonly<Record<string, unknown>>): Promise<any> {
  const asking = new Set(["select", "confirm", "input", "editor"]);
  const question = await talk.next((line) => line.type === "extension_ui_request" && asking.has(line.method));
  talk.send({ type: "extension_ui_response", id: question.id, ...reply });
  return question;
}
