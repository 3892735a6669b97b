import { diagnose } from "../../error/diagnostic.ts";
import { messageOf } from "../../error/error.ts";
import type { Instance } from "../../hook/instance.ts";
import type { TextCache } from "../../port/cache.ts";
import { failureOf } from "../../run/failure.ts";
import type { Candidate, Surroundings } from "../dialect.ts";
import { schemaKey } from "./cache.ts";
import { isDefinition } from "./config.ts";
import { type Plugin, readsOf, verbosity } from "./plugin.ts";
import { TIMEOUT_MS } from "./point.ts";
import { type Apply, register } from "./register.ts";
import { outputOf } from "./report.ts";
import { readSchema } from "./schema.ts";
import { watchTools } from "./tools.ts";

/**
 * Loads one plugin: asks it for its schema, or takes the answer of an earlier run, and registers what it describes.
 * A remembered answer is checked in the background and a changed one takes effect as soon as it is there (decision 47).
 * Throws where the plugin gives no usable answer.
 */
export async function load(candidate: Candidate, instance: Instance, around: Surroundings): Promise<void> {
  if (!isDefinition(candidate.definition)) throw new Error("it is no plugin of chibi");
  const { program } = candidate.definition;
  watchTools(around.scene, around.contributions);
  const bytes = around.scan.files.read(program);
  const plugin: Plugin = { program, source: candidate.source, reads: readsOf(bytes), instance, around };
  const apply = register(plugin);
  const cache = bytes === undefined ? undefined : around.cache;
  const memory = cache && bytes && { cache, key: schemaKey(program, bytes) };
  const remembered = memory?.cache.get(memory.key);
  if (memory !== undefined && remembered !== undefined && take(remembered, plugin, apply) === undefined) {
    inBackground(around, () => renew(plugin, apply, memory, remembered));
    return;
  }
  const text = await askSchema(plugin);
  const problem = take(text, plugin, apply);
  if (problem !== undefined) throw new Error(problem);
  memory?.cache.put(memory.key, text);
}

interface Memory {
  readonly cache: TextCache;
  readonly key: string;
}

/** Registers what an answer describes; gives what is wrong with it where nothing of it can be used. */
function take(text: string, { source, instance }: Plugin, apply: Apply): string | undefined {
  const read = readSchema(text, source);
  for (const diagnostic of read.diagnostics) instance.report(diagnostic);
  if (!read.ok) return read.problem;
  apply(read.entries);
  return undefined;
}

/** Never rejects. A plugin that gives no usable answer now goes on with the one it gave before. */
async function renew(plugin: Plugin, apply: Apply, { cache, key }: Memory, before: string): Promise<void> {
  const { instance, source } = plugin;
  if (instance.disposed) return;
  try {
    const text = await askSchema(plugin);
    if (instance.disposed || text === before) return;
    const problem = take(text, plugin, apply);
    if (problem !== undefined) throw new Error(problem);
    cache.put(key, text);
  } catch (thrown) {
    if (instance.disposed) return;
    const problem = `${messageOf(thrown)}; it goes on with its earlier answer`;
    instance.report(diagnose("LOAD_FAILED", { path: source.path, problem }, { source, severity: "warning" }));
  }
}

/** What a plugin prints for `--schema`. */
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

/** After the start and one after the other, so that many plugins leave the processor to the session. */
function inBackground(around: Surroundings, work: () => Promise<void>): void {
  const { shared } = around;
  const before = (shared.get(QUEUE) as Promise<void> | undefined) ?? around.started?.() ?? Promise.resolve();
  shared.set(QUEUE, before.then(work));
}
