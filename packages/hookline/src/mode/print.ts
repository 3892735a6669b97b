import { divertStdout, EXIT, type Io } from "@hookline/ground/system";
import { textOf } from "@hookline/runtime";
import type { Agent } from "../agent/agent.ts";
import { tellUnused } from "../agent/start-session.ts";
import type { PromptOptions } from "../agent/submit.ts";
import { sessionStats, usageLine } from "../agent/usage.ts";
import { Patience } from "../hook/patience.ts";
import { droppedLine } from "../hook/shadow-wait.ts";
import { errorWords } from "../provider/error-words.ts";
import type { Assembled } from "../start/assemble.ts";
import type { AgentEvent, PromptResult } from "../turn/event.ts";
import { TOO_MANY_TURNS } from "../turn/hook-turns.ts";
import { Ending } from "./ending.ts";
import { diagnosticNotice, jsonEvent } from "./json-event.ts";
import { type ModeRun, openAgent } from "./open.ts";
import { type Person, personOf } from "./person.ts";
import { retryLine } from "./retry-line.ts";

/** A run of one or more prompts without a person. */
export interface PrintRun extends ModeRun {
  readonly mode: "text" | "json";
  /** The text from stdin, which comes before the first prompt. */
  readonly piped: string;
}

/** Runs the prompts one after the other. Stdout gets the final reply, or one JSON line per event. */
export async function runPrompts(run: PrintRun): Promise<number> {
  const person = personOf(run.io);
  const restore = divertStdout();
  const patience = new Patience();
  const ending = new Ending(person.tell, { readerGone: run.io.readerGone, patience });
  const done = watchUnfinished(person.tell);
  try {
    return await withAgent(run, person, { ending, patience });
  } finally {
    done();
    restore();
  }
}

async function withAgent(
  run: PrintRun,
  person: Person,
  { ending, patience }: { readonly ending: Ending; readonly patience: Patience },
): Promise<number> {
  const { io, mode } = run;
  const stream = mode === "json" ? new Stream(io) : undefined;
  const { assembled, problems, words, closeTrace } = await openAgent(run, {
    mode: mode === "json" ? "json" : "print",
    person,
    patience,
    ending,
    onDiagnostic: (diagnostic) => stream?.write(diagnosticNotice(diagnostic)),
  });
  const { agent } = assembled;
  ending.begin(assembled);
  let code: number = EXIT.usage;
  const given = promptTexts(words, run.piped);
  const prompts = given.length === 0 ? firstMessage(assembled) : given.map((text) => ({ text }));
  if (prompts.length === 0 && agent.halt !== undefined) {
    person.tell(agent.halt.reason);
    code = EXIT.stopped;
  } else if (problems.length > 0) for (const problem of problems) person.tell(problem);
  else if (prompts.length === 0)
    person.tell(
      run.args.words.length === 0
        ? NO_PROMPT
        : `${NO_PROMPT}\nThe word that was given is the value of an extension's flag.`,
    );
  else {
    stream?.begin(agent.core.store.getHeader());
    const reply = listenForReply(agent);
    agent.listen((event) => (stream === undefined ? show(event, person) : stream.write(jsonEvent(event))));
    if (given.length > 0 && assembled.firstMessage !== undefined) tellUnused(agent, "a prompt was given");
    const ran = await Promise.race([ending.signalled, promptsOf(agent, prompts, { person, ending })]);
    code = typeof ran === "number" ? ran : ran.code;
    if (mode === "text" && typeof ran === "object" && ran.isAnswered && reply() !== "") person.answer(reply());
  }
  if (run.args.flags["verbose"] === true) person.tell(usageLine(sessionStats(agent.core)));
  const asked = assembled.hooks.hooks();
  await ending.close(assembled);
  const dropped = droppedLine(asked);
  if (dropped !== undefined) person.tell(dropped);
  return closeTrace(code);
}

/** Joins the text from stdin with the first prompt of the command line; other prompts follow. */
function promptTexts([first, ...others]: readonly string[], piped: string): string[] {
  const begin = [...(piped === "" ? [] : [piped]), ...(first === undefined ? [] : [first])];
  return begin.length === 0 ? [] : [begin.join("\n\n"), ...others];
}

/** Returns the prompt that a hook supplies if the person gave none. Like all texts of hooks, it is never a command. */
function firstMessage({ firstMessage: text }: Assembled): Prompt[] {
  return text === undefined ? [] : [{ text, options: { source: "extension", expandTemplates: true } }];
}

/** The error message if no prompt was given. */
export const NO_PROMPT = 'There is no prompt. Give one as an argument or on stdin: hookline -p "…"';

/** A prompt to run, and how to submit it. */
interface Prompt {
  readonly text: string;
  readonly options?: PromptOptions;
}

/** The outcome of several prompts: one exit code for all, and whether the last one was answered. */
interface Ran {
  readonly code: number;
  readonly isAnswered: boolean;
}

/** Runs the prompts one after the other, even after one has failed. Source: ruling 68. */
async function promptsOf(
  agent: Agent,
  prompts: readonly Prompt[],
  { person, ending }: { readonly person: Person; readonly ending: Ending },
): Promise<Ran> {
  const codes: number[] = [];
  for (const [at, { text, options }] of prompts.entries()) {
    await agent.waitForIdle();
    // After a signal, or when nobody reads the output any more, no further prompt is run.
    if (agent.endWanted || ending.code !== undefined) break;
    agent.wasHalted = false;
    const result = await agent.prompt(text, options);
    // Runs that hooks have started meanwhile belong to this prompt.
    await agent.waitForIdle();
    if (ending.code !== undefined) break;
    const { code, says } = verdictOn(result.kind !== "failed" && agent.core.hookTurns.isOver ? TOO_MANY_TURNS : result);
    if (says !== undefined) person.tell(prompts.length === 1 ? says : `Prompt ${at + 1} of ${prompts.length}: ${says}`);
    codes.push(code === EXIT.fine && agent.wasHalted ? EXIT.stopped : code);
  }
  const code = [EXIT.failed, EXIT.stopped].find((one) => codes.includes(one)) ?? EXIT.fine;
  return { code, isAnswered: codes.at(-1) === EXIT.fine };
}

/** Remembers the text of the last reply. Replies to earlier prompts, and replies with tool calls, are dropped. */
function listenForReply(agent: Agent): () => string {
  let text = "";
  agent.listen((event) => {
    if (event.type === "message_end" && event.message.role === "assistant") text = textOf(event.message.content);
    if (event.type === "reply.withdrawn") text = event.text;
  });
  return () => text;
}

/** Writes the JSON lines of a run: the session's header first, then events. Events before the header are held back. */
class Stream {
  readonly #io: Io;
  #held: object[] | undefined = [];

  constructor(io: Io) {
    this.#io = io;
  }

  begin(header: object): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const line of [header, ...held]) this.write(line);
  }

  write(line: object): void {
    if (this.#held === undefined) this.#io.out(`${JSON.stringify(line)}\n`);
    else this.#held.push(line);
  }
}

function show(event: AgentEvent, person: Person): void {
  if (event.type === "notice") person.tell(event.text);
  else if (event.type === "auto_retry_start") person.tell(retryLine(event));
  else if (event.type === "subagent_event" && event.event.type === "auto_retry_start")
    person.tell(retryLine(event.event, "The provider of a sub-agent"));
  else if (event.type === "command_output") person.answer(event.text);
}

/** Returns the exit code for one prompt, and the message for the person if there is no reply. */
function verdictOn(result: PromptResult): { readonly code: number; readonly says?: string } {
  switch (result.kind) {
    case "answered":
    case "handled":
    case "command":
    case "queued":
      return { code: EXIT.fine };
    case "stopped":
      return { code: EXIT.stopped, says: result.reason };
    case "failed":
      return { code: EXIT.failed, says: errorWords(result.error) };
    case "aborted":
      return { code: EXIT.failed, says: "Aborted." };
  }
}

/**
 * Detects a run that can never end because nothing in the process is left to continue it. Such a run exits with 1 and
 * an error message, never with 0 (ruling 6b). Returns a function that ends the watch.
 */
function watchUnfinished(tell: (line: string) => void): () => void {
  const onEmpty = (): void => {
    tell(
      "The run cannot end: something that it waits for never happens. Give the hook a time limit, or correct what it waits for.",
    );
    process.exit(EXIT.failed);
  };
  process.once("beforeExit", onEmpty);
  return () => process.removeListener("beforeExit", onEmpty);
}
