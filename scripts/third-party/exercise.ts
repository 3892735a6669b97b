import { readFileSync } from "node:fs";
import { type LoopbackRequest, startLoopback } from "../../packages/hookline/test/support/loopback.ts";
import { reply, toolsIn, type Wish, wishText } from "./model.ts";
import { makePlace, type Place, type Program } from "./program.ts";
import { type Line, Talk, type Told } from "./talk.ts";

/** Matches a message that only says how busy the machine is. */
const OF_MACHINE = /^This process was busy for \d+ ms/;

/** One step, and what the client received. */
export interface Done {
  readonly step: string;
  readonly kind: "start" | "prompt" | "tool" | "command" | "event";
  /** The texts that the extension showed to the person, in order. */
  readonly shown: readonly string[];
  /** The tool's result, if one was called. */
  readonly result?: { readonly isError: boolean; readonly text: string };
  /** Errors of the extension that the program reported. */
  readonly errors: readonly string[];
  /** The reason why the program did not do what the client asked for. */
  readonly refused?: string;
  /** Whether the step was still running at its time limit. */
  readonly wentOn: boolean;
  /** The program's exit code, if it ended during the step. */
  readonly ended?: number | null;
}

/** The result of exercising an extension. */
export interface Exercise {
  readonly done: readonly Done[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  /** The names of skills and prompt templates. */
  readonly texts: readonly string[];
  /** The result of each call of the extension's hooks, by event; for hookline only. */
  readonly asked: readonly { readonly event: string; readonly status: string }[];
  readonly err: string;
  readonly code: number | null;
}

/** Names of the program's own tools and commands. */
export type Own = ReadonlySet<string>;

/**
 * Takes extensions, or the program without any, through a session: a prompt with two tool calls, each of its tools,
 * each of its commands, then everything else a client can do that fires hooks.
 */
export async function exercise(
  program: Program,
  extensions: readonly string[],
  given: { readonly packages: string; readonly own: Own },
): Promise<Exercise> {
  const server = await startLoopback(reply);
  using place = makePlace(program, server.url, given.packages);
  const session = new Session(() => start(program, extensions, place), server.requests, given.own);
  try {
    await session.run();
    const code = await session.close();
    const asked = extensions.length === 0 ? [] : askedIn(place.trace, extensions);
    return { ...session.found(), asked, code };
  } finally {
    await session.close();
    await server.close();
  }
}

function start(program: Program, extensions: readonly string[], { project, env, trace }: Place): Talk {
  return new Talk(program.argv(extensions, trace), project, env);
}

class Session {
  readonly #open: () => Talk;
  readonly #requests: readonly LoopbackRequest[];
  readonly #own: Own;
  #talk: Talk;
  #err = "";
  readonly #done: Done[] = [];
  readonly #commands = new Set<string>();
  readonly #texts = new Set<string>();
  readonly #tried = new Set<string>();

  constructor(open: () => Talk, requests: readonly LoopbackRequest[], own: Own) {
    this.#open = open;
    this.#requests = requests;
    this.#own = own;
    this.#talk = open();
  }

  async run(): Promise<void> {
    await this.#do("start", "start", { type: "get_state" });
    await this.#do("prompt", "Say hello", { type: "prompt", message: "Say hello" });
    await this.#tools();
    await this.#commandsOf();
    await this.#tools();
    await this.#events();
  }

  async close(): Promise<number | null> {
    const code = await this.#talk.close();
    this.#err += this.#talk.err;
    this.#talk.err = "";
    return code;
  }

  found(): Omit<Exercise, "asked" | "code"> {
    const tools = new Set([...this.#offered().keys()]);
    return {
      done: this.#done,
      tools: [...tools].sort(),
      commands: [...this.#commands].sort(),
      texts: [...this.#texts].sort(),
      err: this.#err,
    };
  }

  /** Returns the extension's tools that the model was offered, with argument lists for them. */
  #offered(): Map<string, readonly object[]> {
    const all = this.#requests.flatMap((request) => [...toolsIn(request)]);
    return new Map(all.filter(([name]) => !this.#own.has(name)));
  }

  async #tools(): Promise<void> {
    for (const [tool, lists] of this.#offered())
      for (const list of lists.keys()) {
        const wish: Wish = { tool, list };
        if (this.#tried.has(wishText(wish))) continue;
        this.#tried.add(wishText(wish));
        const shown = `${tool} ${JSON.stringify(lists[list])}`;
        await this.#do("tool", shown, { type: "prompt", message: wishText(wish) });
      }
  }

  /** Returns the running program, which is started again if it has ended. */
  #live(): Talk {
    if (this.#talk.isOver) {
      this.#err += this.#talk.err;
      this.#talk = this.#open();
    }
    return this.#talk;
  }

  async #commandsOf(): Promise<void> {
    const listed = (await this.#live().ask({ type: "get_commands" }))?.data?.commands ?? [];
    for (const { name, source } of listed.filter((one) => !this.#own.has(one.name))) {
      if (source !== "extension") this.#texts.add(name);
      else this.#commands.add(name);
    }
    for (const name of this.#commands) await this.#do("command", `/${name}`, { type: "prompt", message: `/${name}` });
  }

  async #events(): Promise<void> {
    await this.#do("prompt", "Once more", { type: "prompt", message: "Once more" });
    const file = (await this.#live().ask({ type: "get_state" }))?.data?.sessionFile;
    const messages = (await this.#live().ask({ type: "get_fork_messages" }))?.data?.messages ?? [];
    const steps: readonly Told[] = [
      { type: "bash", command: "echo hello" },
      { type: "set_thinking_level", level: "low" },
      { type: "set_model", provider: "loop", modelId: "m2" },
      { type: "compact" },
      ...messages.slice(0, 1).map(({ entryId }) => ({ type: "fork", entryId })),
      { type: "new_session" },
      ...(file !== undefined ? [{ type: "switch_session", sessionPath: file }] : []),
    ];
    for (const step of steps) await this.#do("event", step.type, step);
    await this.#do("prompt", "And again", { type: "prompt", message: "And again" });
  }

  async #do(kind: Done["kind"], step: string, command: Told): Promise<void> {
    const lines = await this.#live().step(command);
    const results = lines.filter(({ type }) => type === "tool_execution_end");
    const wanted = results.find(({ toolName }) => kind === "tool" && step.startsWith(`${toolName} `));
    const refusal = lines.find(({ type, success }) => type === "response" && success === false);
    this.#done.push({
      step,
      kind,
      shown: lines.filter(({ type }) => type === "extension_ui_request").map(shownText),
      ...(wanted !== undefined && { result: { isError: wanted.isError === true, text: resultText(wanted) } }),
      errors: lines
        .filter(({ type }) => type === "extension_error")
        .map(({ error }) => String(error))
        .filter((error) => !OF_MACHINE.test(error)),
      ...(refusal !== undefined && { refused: String(refusal.error) }),
      wentOn: lines.at(-1)?.type === "went_on",
      ...(this.#talk.isOver && { ended: await this.#talk.ended }),
    });
  }
}

function shownText({ method, title, message, statusText, widgetLines, text }: Line): string {
  return `${method} ${[title, message, statusText, widgetLines?.join("\n"), text].filter((part) => part !== undefined).join(": ")}`;
}

function resultText({ result }: Line): string {
  return (result?.content ?? []).map(({ text = "" }) => text).join("\n");
}

/** Returns the result of each call of the extensions' hooks. */
function askedIn(trace: string, extensions: readonly string[]): Exercise["asked"] {
  let text = "";
  try {
    text = readFileSync(trace, "utf8");
  } catch {
    return [];
  }
  const parts = extensions.map((one) => (one.startsWith("npm:") ? one.slice(4).replace("/", "+") : one));
  return text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => (JSON.parse(line) as { readonly hooks: readonly { id: string; status: string }[] }).hooks)
    .filter(({ id, status }) => parts.some((part) => id.includes(part)) && status !== "not-reached")
    .map(({ id, status }) => ({ event: eventOf(id), status }));
}

/** Returns the event of a hook, from the end of its id. */
function eventOf(id: string): string {
  return id.slice(id.lastIndexOf("#") + 1).replace(/\[\d+\]$/, "");
}
