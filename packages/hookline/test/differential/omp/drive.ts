/**
 * The actions of one handler when it is asked. If a handler changes a field and returns something, the change comes
 * first.
 */
export interface Step {
  /** Its return value, unchanged. */
  readonly says?: unknown;
  /** Whether it returns a promise of it. */
  readonly later?: true;
  /** Its error: one with this text, or `{ raw }`. */
  readonly throws?: string | { readonly raw: unknown };
  /** A change of the event in place: a path and the value. */
  readonly sets?: readonly [path: readonly string[], value: unknown];
}

/** One question to both programs; handler `i` does `steps[i]`, those behind them are silent. */
export interface Question {
  readonly ask: "emit" | "call" | "context" | "start" | "tool" | "fire";
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
  /** For `tool`: what the handlers of `tool_result` do, and what the tool does. */
  readonly after?: readonly Step[];
  readonly tool?: "succeeds" | "fails" | "throws text";
}

/** The outcome of a question. */
export interface Told {
  readonly answer?: unknown;
  readonly threw?: string;
  /** The event that each handler saw, in the order of asking. */
  readonly seen: readonly unknown[];
  readonly errors: readonly unknown[];
  /** The event afterwards, as its maker sees it; for `tool` the input that the tool ran with. */
  readonly left?: unknown;
}

/** How many handlers there are of each event: two in the first module, one in the second. */
const OF_FIRST = 2;

/** Names of the events that the modules listen to. */
export const EVENTS = [
  "session_start",
  "session_before_switch",
  "session_before_branch",
  "session_before_compact",
  "session.compacting",
  "session_before_tree",
  "session_shutdown",
  "context",
  "before_agent_start",
  "agent_end",
  "turn_start",
  "tool_call",
  "tool_result",
  "ttsr_triggered",
  "todo_reminder",
] as const;

/** The modules under test: what their handlers do is asked of the global `ompStep`. */
export function modules(events: readonly string[] = EVENTS): Readonly<Record<"first.ts" | "second.ts", string>> {
  const module = (from: number, count: number): string => `export default (pi) => {
  for (const name of ${JSON.stringify(events)})
    for (let i = ${from}; i < ${from + count}; i++) pi.on(name, (event) => globalThis.ompStep(name, i, event));
};
`;
  return { "first.ts": module(0, OF_FIRST), "second.ts": module(OF_FIRST, 1) };
}

/** Tells the modules' handlers what to do, and hears what they are shown. */
export function direct(question: Question): unknown[] {
  const seen: unknown[] = [];
  (globalThis as any).ompStep = (name: string, at: number, event: any): unknown => {
    const steps = question.ask === "tool" && name === "tool_result" ? (question.after ?? []) : question.steps;
    const step = steps[at];
    if (step === undefined) return undefined;
    seen.push([name, at, plain(event)]);
    if (step.sets !== undefined) put(event, ...step.sets);
    if (step.throws !== undefined) throw typeof step.throws === "string" ? new Error(step.throws) : step.throws.raw;
    return step.later ? Promise.resolve(copy(step.says)) : copy(step.says);
  };
  return seen;
}

/** Asks about every question in turn; what a question comes to is the program's own affair. */
export async function driveEach(
  questions: readonly Question[],
  ask: (question: Question, event: object) => Promise<Pick<Told, "answer" | "threw" | "errors">>,
): Promise<Told[]> {
  const told: Told[] = [];
  for (const question of questions) {
    const seen = direct(question);
    const event: any = { type: question.event, ...copy(question.fields) };
    if (question.event === "session_stop") event.signal = new AbortController().signal;
    const came = await ask(question, event);
    told.push({ ...(plain(came) as typeof came), seen });
  }
  return told;
}

/** Asks a `HookRunner` and a `HookToolWrapper` of either program about every question. */
export async function driveHooks(lib: any, folder: string, questions: readonly Question[]): Promise<Told[]> {
  const paths = [`${folder}/first.ts`, `${folder}/second.ts`];
  const loaded = await lib.loadHooks(paths, folder);
  if (loaded.errors.length > 0) throw new Error(JSON.stringify(loaded.errors));
  const errors: unknown[] = [];
  const runner = new lib.HookRunner(loaded.hooks, folder, {}, {});
  runner.onError(({ hookPath, event, error }: any) => errors.push([hookPath.slice(folder.length + 1), event, error]));
  const told: Told[] = [];
  for (const question of questions) {
    errors.length = 0;
    const seen = direct(question);
    const { ask, event: type, fields } = question;
    const event = { type, ...copy(fields) };
    let left: unknown = event;
    const answering = (): Promise<unknown> => {
      if (ask === "call") return runner.emitToolCall(event);
      if (ask === "context") return runner.emitContext((event as any).messages);
      if (ask === "start") return runner.emitBeforeAgentStart((event as any).prompt, (event as any).images);
      if (ask === "emit") return runner.emit(event);
      left = "did not run";
      const tool = toolOf(question, (input) => (left = plain(input)));
      return new lib.HookToolWrapper(tool, runner).execute("call_1", copy((fields as any).input));
    };
    const came = await attempt(answering);
    told.push({ ...came, seen, errors: plain(errors) as unknown[], left: plain(left) });
  }
  return told;
}

function toolOf({ fields, tool }: Question, ran: (input: unknown) => void): object {
  return {
    name: fields["toolName"],
    label: "a tool",
    description: "",
    parameters: {},
    async execute(_id: string, input: unknown) {
      ran(input);
      if (tool === "fails") throw new Error("the tool failed");
      if (tool === "throws text") throw "a text";
      return { content: [{ type: "text", text: "fine" }], details: { lines: 1 } };
    },
  };
}

/** Returns the result of a call, or the text of what it throws. */
export async function attempt(answering: () => Promise<unknown>): Promise<Pick<Told, "answer" | "threw">> {
  try {
    return { answer: plain(await answering()) };
  } catch (thrown) {
    return { threw: thrown instanceof Error ? thrown.message : `not an error: ${String(thrown)}` };
  }
}

function put(event: any, path: readonly string[], value: unknown): void {
  const last = path.at(-1) as string;
  const holder = path.slice(0, -1).reduce((now, key) => now?.[key], event);
  if (holder !== null && typeof holder === "object") holder[last] = copy(value);
}

/** Converts a value to JSON's values, but keeps `undefined` apart from `null`. */
export function plain(value: unknown): unknown {
  if (value === undefined) return "«undefined»";
  return JSON.parse(JSON.stringify(value));
}

function copy<T>(value: T): T {
  return value === undefined || typeof value === "function" ? value : structuredClone(value);
}
