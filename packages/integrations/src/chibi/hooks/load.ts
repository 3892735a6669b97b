import { messageOf } from "@hookline/ground";
import type { Candidate, Instance, Surroundings } from "@hookline/runtime/dialect";
import { diagnose } from "@hookline/runtime/dialect";
import { failureOf } from "@hookline/runtime/engine";
import { type Answer, type Memory, memoryOf } from "./answers.ts";
import { watchTools } from "./calls.ts";
import { isDefinition } from "./config.ts";
import { type Plugin, readsOf, verbosity } from "./plugin.ts";
import { TIMEOUT_MS } from "./point.ts";
import { type Apply, register } from "./register.ts";
import { outputOf } from "./report.ts";
import { type Entry, readSchema } from "./schema.ts";

/**
 * Loads one plugin: asks it for its schema, or uses its cached answer, and registers the hooks and tools in it. A
 * cached answer is checked in the background, and a changed one takes effect at once (ruling 47). Throws if the
 * plugin gives no usable answer.
 */
export function load(candidate: Candidate, instance: Instance, around: Surroundings): void | Promise<void> {
  if (!isDefinition(candidate.definition)) throw new Error("it is not a chibi plugin");
  const { program } = candidate.definition;
  watchTools(around.scene, around.contributions);
  const bytes = around.scan.files.read(program);
  const memory = memoryOf(program, bytes, around);
  const remembered = memory?.recall();
  const reads = remembered?.reads ?? readsOf(bytes);
  const plugin: Plugin = { program, source: candidate.source, reads, instance, around };
  const apply = register(plugin);
  if (memory !== undefined && remembered !== undefined && take(remembered, plugin, apply).ok) {
    inBackground(around, () => renew(plugin, apply, memory, remembered.text));
    return undefined;
  }
  return ask(plugin, apply, memory);
}

async function ask(plugin: Plugin, apply: Apply, memory: Memory | undefined): Promise<void> {
  const taken = take({ text: await askSchema(plugin) }, plugin, apply);
  if (!taken.ok) throw new Error(taken.problem);
  memory?.keep(taken.answer);
}

type UsableAnswer = Omit<Answer, "reads">;
type Taken = { readonly ok: true; readonly answer: Answer } | { readonly ok: false; readonly problem: string };

/** Registers the hooks and tools in a plugin's answer, unless none of them is usable. */
function take(answer: UsableAnswer, plugin: Plugin, apply: Apply): Taken {
  const { source, instance, reads } = plugin;
  if (answer.entries !== undefined) {
    apply(answer.entries);
    tellOfTerminal(plugin, answer.entries);
    return { ok: true, answer: { ...answer, reads } };
  }
  const { text } = answer;
  const read = readSchema(text, source);
  for (const diagnostic of read.diagnostics) instance.report(diagnostic);
  if (!read.ok) return read;
  apply(read.entries);
  tellOfTerminal(plugin, read.entries);
  // The parsed entries are not cached if there were problems: the next start must parse the answer to report them
  // again.
  return { ok: true, answer: read.diagnostics.length > 0 ? { text, reads } : { text, reads, entries: read.entries } };
}

/** Reports hooks that ask on the terminal: they run without one (ruling 46) and get no answer. */
function tellOfTerminal({ source, instance, reads }: Plugin, entries: readonly Entry[]): void {
  const events = new Set(entries.flatMap(({ hooks }) => hooks));
  if (!reads.terminal || events.size === 0) return;
  const details = { path: source.path, events: [...events].join(", ") };
  instance.report(diagnose("NO_TERMINAL", details, { source }));
}

/**
 * Asks the plugin again and applies a changed answer. Never rejects: after a failure the previous answer stays in
 * force.
 */
async function renew(plugin: Plugin, apply: Apply, memory: Memory, before: string): Promise<void> {
  const { instance, source } = plugin;
  if (instance.disposed) return;
  try {
    const text = await askSchema(plugin);
    if (instance.disposed || text === before) return;
    const taken = take({ text }, plugin, apply);
    if (!taken.ok) throw new Error(taken.problem);
    memory.keep(taken.answer);
  } catch (thrown) {
    if (instance.disposed) return;
    const problem = `${messageOf(thrown)}; it goes on with its earlier answer`;
    instance.report(diagnose("LOAD_FAILED", { path: source.path, problem }, { source, severity: "warning" }));
  }
}

/** Returns the plugin's output for `--schema`. */
async function askSchema({ program, source, instance, around }: Plugin): Promise<string> {
  const report = await around.transports.process.run({
    command: { file: program, args: ["--schema"] },
    cwd: around.scene.cwd,
    tier: source.tier,
    env: verbosity(around),
    timeoutMs: TIMEOUT_MS,
    signal: instance.signal,
    label: `${source.path} --schema`,
  });
  try {
    return outputOf(report, TIMEOUT_MS);
  } catch (thrown) {
    const { cause, message } = failureOf(thrown);
    throw new Error(cause === "exited" ? `--schema ended with ${message}` : `--schema failed: ${message}`);
  }
}

const QUEUE = "chibi.renewals";

/** Runs work after the session's start, one piece at a time, so that many plugins do not slow down the session. */
function inBackground(around: Surroundings, work: () => Promise<void>): void {
  const { shared } = around;
  const before = (shared.get(QUEUE) as Promise<void> | undefined) ?? around.started?.() ?? Promise.resolve();
  shared.set(QUEUE, before.then(work));
}
