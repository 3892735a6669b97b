import { createRuntime, type Message, textOf } from "@hookline/runtime";
import { dialects } from "@hookline/runtime/dialects";
import { acme } from "./hooks.ts";
import { acmeTools } from "./tools.ts";

/** A tool call in Acme's words. */
export interface AcmeToolCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The result of a tool call in Acme: the text that its model reads, and whether the tool ran. */
export interface AcmeResult {
  readonly text: string;
  readonly ran: boolean;
}

/** Where Acme works. */
export interface AcmePlace {
  readonly home: string;
  readonly cwd: string;
  readonly messages: () => readonly Message[];
}

/**
 * Runs every hook of the machine and of the project inside Acme, its own included. Acme calls one function at each of
 * its moments; a hook of any agent is shown them in the words that it was written for.
 */
export async function openHost({ home, cwd, messages }: AcmePlace) {
  const runtime = createRuntime({ dialects: [...dialects, acme], home, runUnapprovedProjectHooks: true });
  const session = await runtime.open({ scene: { sessionId: crypto.randomUUID(), cwd, messages } });
  return {
    report: session.report,
    /** Before a prompt is sent: the text to send, or why it is not sent. */
    async prompt(text: string): Promise<{ readonly text: string } | { readonly refused: string }> {
      const { answer } = await session.emit("prompt.before", { text });
      if (answer.stop === true) return { refused: answer.reason ?? "a hook refused it" };
      return { text: answer.text ?? text };
    },
    /** Around a tool call: asks before it, runs it with the arguments that hooks left, shows them the result. */
    async tool({ id, tool, args }: AcmeToolCall, run: (args: AcmeToolCall["args"]) => Promise<string>) {
      const own = acmeTools.tool(tool);
      const call = { toolCallId: id, tool: own, args: acmeTools.putArgs(own, args, {}) };
      const { content, blocked } = await session.wrap(call, (final) => run(acmeTools.args(own, final)));
      return { text: textOf(content), ran: blocked !== true } satisfies AcmeResult;
    },
    /** When the model wants to stop: texts with which it is sent on, or nothing. */
    async stop(prompt: string, reply: string, retryCount: number): Promise<readonly string[]> {
      const moment = { prompt, reply, messages: messages(), retryCount, stopHookActive: retryCount > 0 };
      return (await session.emit("agent.stop", moment)).answer.feedback ?? [];
    },
    close: () => runtime.close(),
  };
}
