import fc from "fast-check";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import { dialects } from "../../../integrations/src/index.ts";
import { catalog } from "../../src/catalog/catalog.ts";
import type { CatalogRow, Failure } from "../../src/catalog/row.ts";
import { Instance } from "../../src/hook/instance.ts";
import type { Lane } from "../../src/hook/lane.ts";
import { Registry } from "../../src/hook/registry.ts";
import { Deadlines } from "../../src/run/deadline.ts";
import { dispatch } from "../../src/run/dispatch.ts";
import { HookFailure } from "../../src/run/failure.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { settle } from "./cases.ts";
import { ManualClock } from "./clock.ts";
import { type Expected, type ReferenceHook, type ReferenceStation, reference, scene } from "./reference.ts";
import type { Said } from "./script.ts";

type Fields = any;

/** An intention of a hook, which each dialect expresses in its own format. */
export type Wish =
  | { readonly what: "nothing" | "empty" | "echo" | "bad" }
  | { readonly what: "edit" | "deny" | "allow" | "add"; readonly text: string }
  | { readonly what: "throw" | "exit" | "engine"; readonly message: string };

/** One hook: in which lane, what it does in place, what it answers, and when that comes. */
export interface MixedHook {
  readonly lane: string;
  /** Put into the event in place before it answers, where its dialect lets it. */
  readonly touch: string | undefined;
  readonly wish: Wish;
  /** Another wish for a call or a result with this text. */
  readonly on: { readonly text: string; readonly wish: Wish } | undefined;
  readonly ticks: number;
}

export type MixedEvent = "tool.before" | "tool.after";

/** Hooks of all dialects on one event, in the order of their registration. */
export interface Mixed {
  readonly event: MixedEvent;
  readonly hooks: readonly MixedHook[];
}

/** The lanes of the real dialects, in their order. */
export const LANES: readonly Lane[] = dialects.flatMap((dialect) => dialect.lanes);
const PROCESSES: ReadonlySet<string> = new Set(LANES.filter(({ isolate }) => !isolate).map(({ id }) => id));

export const PAYLOADS: Readonly<Record<MixedEvent, Fields>> = {
  "tool.before": { toolCallId: "c1", tool: "bash", args: { command: "ls" } },
  "tool.after": {
    toolCallId: "c1",
    tool: "bash",
    args: { command: "ls" },
    content: [
      { type: "text", text: "ls" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ],
    details: { exitCode: 0 },
    isError: false,
    blocked: false,
  },
};

// ---- how each dialect says it

interface Spelling {
  readonly event: string;
  text(event: Fields): string;
  touch?(event: Fields, text: string): void;
  edit(text: string, event: Fields): unknown;
  deny(text: string): unknown;
  readonly bad: unknown;
}

const content = (text: string): unknown => [{ type: "text", text }];
const inputCommand = {
  text: (event: Fields) => event.input.command,
  touch: (event: Fields, text: string) => {
    event.input.command = text;
  },
  edit: (command: string) => ({ input: { command } }),
  deny: (reason: string) => ({ block: true, reason }),
  bad: 7,
};
const resultText = {
  text: (event: Fields) => event.content[0]?.text,
  touch: (event: Fields, text: string) => {
    if (event.content[0]?.type === "text") event.content[0].text = text;
  },
  edit: (text: string) => ({ content: content(text) }),
  deny: () => ({ isError: true }),
  bad: { content: 7 },
};

const printed = (hookEventName: string, fields: Fields): unknown => ({
  stdout: JSON.stringify({ hookSpecificOutput: { hookEventName, ...fields } }),
});

const SPELLINGS: Readonly<Record<MixedEvent, Readonly<Record<string, Spelling>>>> = {
  "tool.before": {
    jcli: {
      event: "pre_tool_execution",
      text: (event) => JSON.parse(event.tool_arguments).command,
      edit: (command) => ({ tool_arguments: JSON.stringify({ command }) }),
      deny: (text) => ({ action: "skip", retry_feedback: text }),
      bad: { action: "nonsense" },
    },
    chibi: {
      event: "pre_tool",
      text: (event) => event.arguments.command,
      edit: (command) => ({ arguments: { command } }),
      deny: (message) => ({ block: true, message }),
      bad: { block: "yes" },
    },
    claude: {
      event: "PreToolUse",
      text: (event) => event.tool_input.command,
      edit: (command) => printed("PreToolUse", { updatedInput: { command } }),
      deny: (stderr) => ({ exit: 2, stderr }),
      bad: { stdout: '{"continue":1}' },
    },
    "omp-hooks": { event: "tool_call", ...inputCommand },
    omp: { event: "tool_call", ...inputCommand },
    pi: { event: "tool_call", ...inputCommand },
  },
  "tool.after": {
    jcli: {
      event: "post_tool_execution",
      text: (event) => event.tool_result,
      edit: (text) => ({ tool_result: text }),
      deny: (text) => ({ additional_context: text }),
      bad: { tool_result: 7 },
    },
    chibi: {
      event: "pre_tool_output",
      text: (event) => event.output,
      edit: (output) => ({ output }),
      deny: (message) => ({ block: true, message }),
      bad: { output: 7 },
    },
    claude: {
      event: "PostToolUse",
      text: (event) => event.tool_response.stdout,
      edit: (stdout, { tool_response: shown }) => printed("PostToolUse", { updatedToolOutput: { ...shown, stdout } }),
      deny: (stderr) => ({ exit: 2, stderr }),
      bad: { stdout: '{"continue":1}' },
    },
    "omp-hooks": { event: "tool_result", ...resultText },
    omp: { event: "tool_result", ...resultText },
    pi: { event: "tool_result", ...resultText },
  },
};

function spellingOf(event: MixedEvent, lane: string): Spelling {
  return SPELLINGS[event][lane] as Spelling;
}

/** Does in place what the hook does, and gives what comes of asking it. */
export function actOf({ event }: Mixed, hook: MixedHook): (shown: Fields) => Said {
  const spelling = spellingOf(event, hook.lane);
  return (shown) => {
    const wish = hook.on !== undefined && spelling.text(shown) === hook.on.text ? hook.on.wish : hook.wish;
    if (hook.touch !== undefined) spelling.touch?.(shown, hook.touch);
    const failed = (cause: Failure["cause"], message: string): Said => ({ failure: { cause, message } });
    switch (wish.what) {
      case "nothing":
        return {};
      case "empty":
        return { raw: {} };
      case "echo":
        return { raw: spelling.edit(spelling.text(shown), shown) };
      case "bad":
        return { raw: structuredClone(spelling.bad) };
      case "edit":
        return { raw: spelling.edit(wish.text, shown) };
      case "deny":
        return { raw: spelling.deny(wish.text) };
      case "allow":
        return { raw: PROCESSES.has(hook.lane) ? {} : { block: false } };
      case "add":
        if (hook.lane === "claude") return { raw: printed(spelling.event, { additionalContext: wish.text }) };
        return {
          raw:
            hook.lane === "chibi"
              ? {}
              : { [hook.lane === "jcli" ? "additional_context" : "additionalContext"]: wish.text },
        };
      case "throw":
        return failed(PROCESSES.has(hook.lane) ? "exited" : "threw", wish.message);
      case "exit":
        return failed(PROCESSES.has(hook.lane) ? "timeout" : "threw", wish.message);
      case "engine":
        return failed("engine", wish.message);
    }
  };
}

// ---- generators

const word = fc.constantFrom("ls", "rm", "cat", "x");
const wish: fc.Arbitrary<Wish> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<Wish>({ what: "nothing" }, { what: "empty" }, { what: "echo" }) },
  { weight: 4, arbitrary: word.map((text): Wish => ({ what: "edit", text })) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom("deny", "allow", "add"), word).map(([what, text]) => ({ what, text }) as Wish),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("throw", "exit", "engine"), word)
      .map(([what, message]) => ({ what, message }) as Wish),
  },
  { weight: 1, arbitrary: fc.constant<Wish>({ what: "bad" }) },
);

const hook: fc.Arbitrary<MixedHook> = fc
  .record({
    lane: fc.constantFrom(...LANES.map(({ id }) => id)),
    touch: fc.option(word, { nil: undefined, freq: 3 }),
    wish,
    on: fc.option(fc.record({ text: word, wish }), { nil: undefined }),
    ticks: fc.nat({ max: 5 }),
  })
  .map((one) => (PROCESSES.has(one.lane) ? { ...one, touch: undefined } : one));

export const mixed: fc.Arbitrary<Mixed> = fc.record({
  event: fc.constantFrom<MixedEvent>("tool.before", "tool.after"),
  hooks: fc.array(hook, { minLength: 1, maxLength: 8 }),
});

// ---- running

export interface MixedRun {
  readonly outcome: Outcome;
  readonly shown: Expected["shown"];
  readonly reported: readonly Diagnostic[];
  readonly payload: Fields;
}

const idOf = ({ event }: Mixed, { lane }: MixedHook, index: number): string =>
  `${lane}:/m/${index}#${spellingOf(event, lane).event}[0]`;

/** Asks the hooks through the real loop, by the real rows. */
export async function runMixed(of: Mixed): Promise<MixedRun> {
  const clock = new ManualClock();
  const reported: Diagnostic[] = [];
  const shown: { hook: string; pass: 1 | 2; event: unknown }[] = [];
  const row = catalog.get(of.event) as CatalogRow;
  const registry = new Registry(LANES, new Map([[row.name, row]]), () => {});
  for (const [index, one] of of.hooks.entries()) {
    const instance = new Instance(one.lane, { path: `/m/${index}`, tier: "user" }, registry);
    const act = actOf(of, one);
    instance.on({
      event: spellingOf(of.event, one.lane).event,
      run: (async (event: Fields, call: { readonly hook: { readonly id: string }; readonly pass: 1 | 2 }) => {
        shown.push({ hook: call.hook.id, pass: call.pass, event: structuredClone(event) });
        const { raw, failure } = act(event);
        for (let i = 0; i < one.ticks; i++) await undefined;
        if (failure?.cause === "threw") throw new Error(failure.message);
        if (failure !== undefined) throw new HookFailure(failure.cause, failure.message);
        return raw;
      }) as never,
    });
  }
  const payload = structuredClone(PAYLOADS[of.event]);
  const plan = registry.plan(row.name);
  if (plan === undefined) throw new Error("a case without handlers has no plan");
  const context = { scene, clock, deadlines: new Deadlines(clock), trace: false, signal: undefined };
  const begun = dispatch(plan, payload, { ...context, report: (diagnostic) => void reported.push(diagnostic) });
  let outcome: Outcome | undefined;
  void Promise.resolve(begun).then((value) => (outcome = value));
  for (let i = 0; outcome === undefined; i++) {
    if (i > 1000) throw new Error("the dispatch does not end");
    await settle();
  }
  return { outcome, shown, reported, payload };
}

/** Returns the required result of the same hooks. */
export function expectedMixed(of: Mixed): Expected {
  const stations: ReferenceStation[] = LANES.flatMap((lane) => {
    const hooks: ReferenceHook[] = of.hooks.flatMap((one, index) =>
      one.lane === lane.id ? [{ id: idOf(of, one, index), path: `/m/${index}`, act: actOf(of, one) }] : [],
    );
    const row = lane.rows.find(({ name }) => name === spellingOf(of.event, lane.id).event);
    return hooks.length === 0 || row === undefined ? [] : [{ lane: lane.id, isolate: lane.isolate, row, hooks }];
  });
  return reference(catalog.get(of.event) as CatalogRow, stations, PAYLOADS[of.event]);
}
