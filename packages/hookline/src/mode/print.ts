import { textOf } from "@hookline/runtime";
import { EXIT, type Io } from "../cli/io.ts";
import type { Agent } from "../loop/agent.ts";
import type { AgentEvent, PromptResult } from "../loop/event.ts";
import { sessionStats, usageLine } from "../loop/usage.ts";
import { Ending } from "./ending.ts";
import { jsonEvent } from "./json-event.ts";
import { type ModeRun, openAgent } from "./open.ts";
import { type Person, personOf } from "./person.ts";
import { divertStdout } from "./stdout.ts";
import { watchUnfinished } from "./unfinished.ts";

/** A run of one or more prompts without a person. */
export interface PrintRun extends ModeRun {
  readonly mode: "text" | "json";
  /** What came in on stdin; it stands before the first prompt. */
  readonly piped: string;
}

/** Runs the prompts one after the other; stdout gets the final reply, or one JSON line per event. */
export async function runPrompts(run: PrintRun): Promise<number> {
  const person = personOf(run.io);
  const restore = divertStdout();
  const ending = new Ending(person.tell, run.io.readerGone);
  const done = watchUnfinished(person.tell);
  try {
    return await withAgent(run, person, ending);
  } finally {
    done();
    restore();
  }
}

async function withAgent(run: PrintRun, person: Person, ending: Ending): Promise<number> {
  const { io, mode } = run;
  const { assembled, problems, words, closeTrace } = await openAgent(run, {
    mode: mode === "json" ? "json" : "print",
    person,
  });
  const { agent } = assembled;
  ending.begin();
  let code: number = EXIT.usage;
  const prompts = promptTexts(words, run.piped);
  if (prompts.length === 0) person.tell("There is no prompt: what stood there is the value of an extension's flag.");
  else if (problems.length === 0) {
    if (mode === "json") io.out(`${JSON.stringify(agent.core.store.getHeader())}\n`);
    const reply = listenForReply(agent);
    agent.listen((event) => show(event, mode, io, person));
    code = await Promise.race([ending.signalled, promptsOf(agent, prompts, { person, io })]);
    if (mode === "text" && code === EXIT.fine && reply() !== "") person.answer(reply());
  } else for (const problem of problems) person.tell(problem);
  if (run.args.flags["verbose"] === true) person.tell(usageLine(sessionStats(agent.core)));
  await ending.close(assembled);
  await closeTrace();
  return code;
}

/** The prompts of a command line and of stdin. */
function promptTexts([first, ...others]: readonly string[], piped: string): string[] {
  const begin = [...(piped === "" ? [] : [piped]), ...(first === undefined ? [] : [first])];
  return begin.length === 0 ? [] : [begin.join("\n\n"), ...others];
}

/** The exit code of the prompts; the first that fails is the last. */
async function promptsOf(
  agent: Agent,
  prompts: readonly string[],
  { person, io }: { readonly person: Person; readonly io: Io },
): Promise<number> {
  for (const text of prompts) {
    await agent.waitForIdle();
    if (agent.endWanted) break;
    const result = await agent.prompt(text);
    // Who has gone need not be told that the rest was left out.
    if (result.kind === "aborted" && io.readerGone?.aborted) return EXIT.failed;
    const code = exitCode(result, person);
    if (code !== EXIT.fine) return code;
  }
  // What hooks have begun meanwhile is the run's as well.
  await agent.waitForIdle();
  return EXIT.fine;
}

/** The text of the last reply; prompts before the last one, and the calls of tools, lead to it and are not shown. */
function listenForReply(agent: Agent): () => string {
  let text = "";
  agent.listen((event) => {
    if (event.type === "message_end" && event.message.role === "assistant") text = textOf(event.message.content);
  });
  return () => text;
}

function show(event: AgentEvent, mode: "text" | "json", io: Io, person: Person): void {
  if (mode === "json") io.out(`${JSON.stringify(jsonEvent(event))}\n`);
  else if (event.type === "notice") person.tell(event.text);
  else if (event.type === "command_output") person.answer(event.text);
}

function exitCode(result: PromptResult, person: Person): number {
  switch (result.kind) {
    case "answered":
    case "handled":
    case "command":
    case "queued":
      return EXIT.fine;
    case "stopped":
      person.tell(result.reason);
      return EXIT.stopped;
    case "failed":
      person.tell(result.error);
      return EXIT.failed;
    case "aborted":
      person.tell("Aborted.");
      return EXIT.failed;
  }
}
