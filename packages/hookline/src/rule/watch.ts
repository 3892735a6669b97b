import { type Context, createContext, Script } from "node:vm";
import type { StreamEvent } from "../provider/provider.ts";
import type { InterruptMode, ReadyRule, Rule, RuleSettings, Scope } from "./rule.ts";

/** Rules check only this many characters at the end of a text or call, so that long replies cost no more. */
const WINDOW = 8192;
const PATH_ARGUMENT = /"(?:path|file_path|file)"\s*:\s*"((?:[^"\\]|\\.)*)"/;

/** The rules that match a newly streamed piece of a reply, and whether they stop the reply. */
export interface Hit {
  readonly rules: readonly Rule[];
  readonly part: Scope["part"];
  /** The id of the call whose arguments matched. */
  readonly toolCallId?: string;
  /** Whether to stop the reply. */
  readonly interrupts: boolean;
}

interface Part {
  readonly part: Scope["part"];
  readonly tool?: string;
  readonly toolCallId?: string;
  text: string;
}

/** Rules whose expressions have taken too long, which are no longer used. */
const tooSlow = new WeakSet<ReadyRule>();

/** Watches one reply as it streams. Each rule matches at most once. One that takes too long is reported and dropped. */
export class RuleWatch {
  readonly #waiting: Set<ReadyRule>;
  readonly #mode: InterruptMode;
  readonly #parts = new Map<number, Part>();

  readonly #onSlow: (rule: Rule) => void;

  constructor(
    rules: readonly ReadyRule[],
    settings: Pick<RuleSettings, "interruptMode">,
    onSlow: (rule: Rule) => void = () => {},
  ) {
    this.#waiting = new Set(rules.filter((rule) => rule.patterns.length > 0 && !tooSlow.has(rule)));
    this.#mode = settings.interruptMode;
    this.#onSlow = onSlow;
  }

  /** Checks the next piece of the reply; returns the rules that match now, if any. */
  see(event: StreamEvent): Hit | undefined {
    if (this.#waiting.size === 0) return undefined;
    if (!("delta" in event)) {
      if (event.type === "toolcall_start") this.#partOf(event, "tool");
      return undefined;
    }
    const part = this.#partOf(event, partOfDelta[event.type]);
    part.text = (part.text + event.delta).slice(-WINDOW);
    const hit = this.#matching(part);
    if (hit.length === 0) return undefined;
    for (const rule of hit) this.#waiting.delete(rule);
    const { toolCallId } = part;
    return {
      rules: hit.map(({ rule }) => rule),
      part: part.part,
      ...(toolCallId !== undefined && { toolCallId }),
      interrupts: hit.some(({ rule }) => interrupts(rule.interruptMode ?? this.#mode, part.part)),
    };
  }

  #matching(part: Part): readonly ReadyRule[] {
    const asked = [...this.#waiting].filter(({ scopes }) => scopes.some((scope) => covers(scope, part)));
    if (asked.length === 0) return asked;
    const fits = fitsAny(
      asked.map(({ patterns }) => patterns),
      part.text,
    );
    if (fits !== undefined) return asked.filter((_, at) => fits[at]);
    return asked.filter((rule) => this.#fitsAlone(rule, part));
  }

  #fitsAlone(rule: ReadyRule, { text }: Part): boolean {
    const fits = fitsAny([rule.patterns], text);
    if (fits !== undefined) return fits[0] === true;
    tooSlow.add(rule);
    this.#waiting.delete(rule);
    this.#onSlow(rule.rule);
    return false;
  }

  #partOf(event: Extract<StreamEvent, { readonly contentIndex: number }>, kind: Scope["part"]): Part {
    const known = this.#parts.get(event.contentIndex);
    if (known !== undefined) return known;
    const block = event.partial.content[event.contentIndex];
    const call = block?.type === "toolCall" ? { tool: block.name, toolCallId: block.id } : {};
    const part: Part = { part: kind, ...call, text: "" };
    this.#parts.set(event.contentIndex, part);
    return part;
  }
}

const partOfDelta = { text_delta: "text", thinking_delta: "thinking", toolcall_delta: "tool" } as const;

function covers(scope: Scope, part: Part): boolean {
  if (scope.part !== part.part || (scope.tool !== undefined && scope.tool !== part.tool)) return false;
  if (scope.fits === undefined) return true;
  const [, path] = PATH_ARGUMENT.exec(part.text) ?? [];
  return path !== undefined && scope.fits(path);
}

function interrupts(mode: InterruptMode, part: Scope["part"]): boolean {
  if (mode === "always" || mode === "never") return mode === "always";
  return (mode === "tool-only") === (part === "tool");
}

/**
 * The maximum processor time for matching expressions, in ms: rules may come from projects, and texts from a model.
 * Processor time is measured, because a busy machine may leave this thread little of the elapsed time.
 */
const BUDGET_MS = 100;

const TEST = "sets.map((patterns) => patterns.some((pattern) => pattern.test(text)))";

let made: { readonly script: Script; readonly context: Context } | undefined;

/** Whether a text matches any expression of each set; undefined if the budget ran out first. */
export function fitsAny(sets: readonly (readonly RegExp[])[], text: string): readonly boolean[] | undefined {
  made ??= { script: new Script(TEST), context: createContext({}) };
  Object.assign(made.context, { sets, text });
  for (let timeout = BUDGET_MS; ; timeout *= 2) {
    const before = usedMs();
    try {
      return made.script.runInContext(made.context, { timeout }) as readonly boolean[];
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw thrown;
      if (usedMs() - before >= BUDGET_MS / 2) return undefined;
    }
  }
}

/** Returns the processor time of this thread so far, in ms; in older versions of Node, that of the whole process. */
function usedMs(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1000;
}
