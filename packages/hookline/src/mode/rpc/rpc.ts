import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, parseJson } from "@hookline/ground";
import { divertStdout, EXIT } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import type { Agent } from "../../agent/agent.ts";
import { problemText } from "../../agent/problem.ts";
import { Patience } from "../../hook/patience.ts";
import { Ending } from "../ending.ts";
import { diagnosticNotice, jsonEvent } from "../json-event.ts";
import { type ModeRun, openAgent } from "../open.ts";
import { personOf } from "../person.ts";
import { commands, imagesOf } from "./commands.ts";
import { RpcUi } from "./ui.ts";
import { type Command, failure, type Send, success, textField } from "./wire.ts";

/** How long the last replies may take after the client has closed stdin, in ms. */
const LEFT_MS = 1000;

/** Runs the agent for a client: one JSON object per line. Stdin has commands, stdout gets replies and events. */
export async function runRpc(run: ModeRun): Promise<number> {
  const { io } = run;
  const person = personOf(io);
  const restore = divertStdout();
  const patience = new Patience();
  const ending = new Ending(person.tell, { readerGone: io.readerGone, patience });
  const send: Send = (line) => io.out(`${JSON.stringify(line)}\n`);
  const client = new RpcUi(send);
  const ready = Promise.withResolvers<Agent>();
  // Hooks may ask the person something during the start, so answers are read before the agent is ready.
  const served = serve(ready.promise, io.input ?? nothing(), client, send);
  served.catch(() => undefined);
  try {
    const { assembled, problems, closeTrace } = await openAgent(run, {
      mode: "rpc",
      person,
      patience,
      ending,
      ui: client.ui,
      onDiagnostic: (diagnostic) => sendDiagnostic(send, diagnostic),
    });
    ending.begin(assembled);
    for (const problem of problems) person.tell(problem);
    let code: number = EXIT.usage;
    let hasLeft = false;
    if (problems.length === 0) {
      const { agent } = assembled;
      agent.listen((event) => send(jsonEvent(event)));
      ready.resolve(agent);
      const left = served.then(() => {
        hasLeft = true;
        return EXIT.fine;
      });
      code = await Promise.race([ending.signalled, left, endOf(agent)]);
    }
    client.close();
    await ending.close(assembled, hasLeft);
    return await closeTrace(code);
  } finally {
    restore();
  }
}

/**
 * Runs the client's commands. Each one starts immediately, whatever else is running. When the client closes stdin,
 * running work is aborted, as in pi, and open questions are dismissed.
 */
async function serve(
  ready: Promise<Agent>,
  input: AsyncIterable<Uint8Array>,
  client: RpcUi,
  send: Send,
): Promise<void> {
  const running = new Set<Promise<void>>();
  for await (const line of linesOf(input)) {
    if (line.trim() === "") continue;
    const work = take(ready, line, client, send).finally(() => running.delete(work));
    running.add(work);
  }
  client.close();
  const agent = await ready;
  agent.end();
  agent.abort();
  await Promise.race([Promise.all(running), sleep(LEFT_MS, undefined, { ref: false })]);
}

/** Resolves when someone has asked the agent to end and it is idle. */
async function endOf(agent: Agent): Promise<number> {
  await new Promise<void>((resolve) => agent.onEndWanted(resolve));
  await agent.waitForIdle();
  return EXIT.fine;
}

async function take(ready: Promise<Agent>, line: string, client: RpcUi, send: Send): Promise<void> {
  let command: Command;
  try {
    command = parseJson(line) as Command;
    if (typeof command?.type !== "string") throw new Error('a command is an object with a "type"');
  } catch (thrown) {
    send(failure({ type: "parse" }, `Failed to parse command: ${messageOf(thrown)}`));
    return;
  }
  if (command.type === "extension_ui_response") client.answered(command);
  else if (command.type === "prompt") await prompt(await ready, command, send);
  else await other(await ready, command, send);
}

/**
 * Replies to a prompt as soon as it is accepted: it has started, is queued, or was handled by a hook or command. If the
 * prompt is refused before that, the error is the only reply.
 */
async function prompt(agent: Agent, command: Command, send: Send): Promise<void> {
  let replied = false;
  const reply = (line: object): void => {
    if (!replied) send(line);
    replied = true;
  };
  const unlisten = agent.listen((event) => {
    if (event.type === "agent_start") reply(success(command, { disposition: "started" }));
  });
  try {
    const streaming = command["streamingBehavior"];
    const result = await agent.prompt(textField(command, "message"), {
      images: imagesOf(command),
      source: "rpc",
      streaming: streaming === "steer" || streaming === "followUp" ? streaming : undefined,
    });
    if (result.kind === "stopped") agent.core.tell({ type: "notice", level: "warning", text: result.reason });
    const disposition = result.kind === "queued" ? "queued" : "handled";
    reply(result.kind === "failed" ? failure(command, result.error) : success(command, { disposition }));
  } catch (thrown) {
    reply(failure(command, problemText(thrown)));
  } finally {
    unlisten();
  }
}

async function other(agent: Agent, command: Command, send: Send): Promise<void> {
  const run = Object.hasOwn(commands, command.type) ? commands[command.type] : undefined;
  if (run === undefined) {
    send(failure(command, `Unknown command: ${command.type}`));
    return;
  }
  try {
    send(success(command, await run(agent, command)));
  } catch (thrown) {
    send(failure(command, problemText(thrown)));
  }
}

/** Reports a hook's failure in the form that pi's clients know, and all other diagnostics as notices. */
function sendDiagnostic(send: Send, diagnostic: Diagnostic): void {
  const { code, message, source, event } = diagnostic;
  if (source === undefined || !code.startsWith("HOOK_")) send(diagnosticNotice(diagnostic));
  else send({ type: "extension_error", extensionPath: source.path, event: event ?? "", error: message });
}

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}

/** The longest accepted line, in characters; no command is longer. */
const MAX_LINE = 64 * 1024 * 1024;

/** Splits bytes into lines at LF only, as the protocol requires. A last line without LF is included. */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      yield rest.slice(0, end).replace(/\r$/, "");
      rest = rest.slice(end + 1);
    }
    if (rest.length > MAX_LINE) throw new Error(`A line on stdin is longer than ${MAX_LINE} characters.`);
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
