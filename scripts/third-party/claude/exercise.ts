import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Outcome } from "@hookline/runtime";
import { claude } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { BACKGROUND_MS, CONVERSATION, MOMENTS } from "./events.ts";
import { type Entry, pathOf, type Repository } from "./list.ts";
import { placeEntry } from "./place.ts";
import { lacking, Tally } from "./tally.ts";

/** The result of one event of an entry. */
export interface EventResult {
  readonly event: string;
  readonly handlers: number;
  /** The number of handlers that were started. */
  readonly ran: number;
  readonly runs: number;
  /** The effects of the handlers, each with a count. */
  readonly did: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  /** The reasons why handlers do not run, from the load report. */
  readonly silent: readonly string[];
}

/** The result of one entry. */
export interface EntryResult {
  readonly repository: string;
  readonly path: string;
  /** The number of handlers that the entry's files define and the load report lists. */
  readonly defined: number;
  readonly listed: number;
  readonly running: number;
  readonly events: readonly EventResult[];
  /** Programs and modules that are missing on this machine. */
  readonly lacks: readonly string[];
  /** Other notes of the load report. */
  readonly notes: readonly string[];
  readonly isFine: boolean;
}

/** Time limit in ms, longer than any answer takes. */
const PATIENCE_MS = 20_000;

/** Loads an entry and fires each event that its hooks are for. */
export async function exerciseEntry(entry: Entry, repository: Repository, unpacked: string): Promise<EntryResult> {
  using place = placeEntry(entry, repository, unpacked);
  const { home, project, etc } = place;
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8", SHELL: "/bin/sh", TERM: "dumb" };
  const said = { ok: true as const, text: '{"ok": true}' };
  const runtime = createHookRuntime({
    dialects: [claude],
    runUnapprovedProjectHooks: true,
    env,
    home,
    hooklineHome: join(home, ".hookline"),
    etc,
    transports: { llm: { complete: async () => said, investigate: async () => said } },
  });
  try {
    const scene = {
      sessionId: "third-party",
      sessionFile: join(home, "session.jsonl"),
      cwd: project,
      model: "sample-model",
    };
    const session = await runtime.open({
      scene: { ...scene, messages: () => CONVERSATION },
      trace: { write() {}, payloads: true },
    });
    const { sources, diagnostics } = session.report;
    const hooks = session.hooks().map(({ hook }) => hook);
    const files = new Set(sources.map(({ path }) => path));
    const defined = [...files].reduce((sum, path) => sum + handlersIn(path), 0);
    const own = sources.filter(({ filter, path }) => filter !== "permission rules" && path.endsWith(".json"));
    const named = {
      names: [...new Set(own.flatMap(({ filter = "" }) => namesIn(filter)))],
      lines: [...new Set(own.flatMap(({ filter = "" }) => linesIn(filter)))],
    };
    const used = [
      ...new Set([...own.flatMap(({ events }) => events), ...own.flatMap(({ reason }) => neverIn(reason))]),
    ];
    const events: EventResult[] = [];
    const lacks = new Set<string>();
    const order = [...Object.keys(MOMENTS), ...used.filter((event) => MOMENTS[event] === undefined)];
    for (const event of used.sort((a, b) => order.indexOf(a) - order.indexOf(b))) {
      const tally = new Tally();
      for (const { of, payload } of hooks.some((hook) => hook.event === event) ? (MOMENTS[event]?.(named) ?? []) : []) {
        const signal = AbortSignal.timeout(PATIENCE_MS);
        const outcome = (await session.emit(of, payload as never, { signal })) as Outcome;
        tally.take(outcome, (id) =>
          hooks.some((hook) => hook.id === id && hook.event === event && hook.filter !== "permission rules"),
        );
      }
      for (const lack of lacking(tally.texts)) lacks.add(lack);
      const silent = own.filter(
        (one) => one.state !== "runs" && (one.events.includes(event) || neverIn(one.reason).includes(event)),
      );
      events.push({
        event,
        handlers: own.filter((one) => one.events.includes(event) || neverIn(one.reason).includes(event)).length,
        ran: tally.ids.size,
        runs: tally.runs,
        did: tally.did,
        problems: [...tally.problems].map((text) => short(text, home, project, place.own, unpacked)),
        silent: [...new Set(silent.map(({ reason = "" }) => short(reason, home, project, place.own, unpacked)))],
      });
    }
    if (hooks.length > 0 && sources.some(({ state }) => state === "runs")) await settled();
    const isHeard = ({ ran, handlers, silent }: EventResult): boolean => ran > 0 || (silent.length > 0 && handlers > 0);
    return {
      repository: repository.repository,
      path: pathOf(entry),
      defined,
      listed: own.length,
      running: own.filter(({ state }) => state === "runs").length,
      events,
      lacks: [...lacks].sort(),
      notes: diagnostics.map(({ code }) => code),
      isFine: defined > 0 && own.length === defined && events.every(isHeard),
    };
  } finally {
    await runtime.close();
  }
}

/** Counts a file's handlers independently, to check that the load report lists them all. */
function handlersIn(path: string): number {
  if (!existsSync(path) || !path.endsWith(".json")) return 0;
  const { hooks = {} } = JSON.parse(readFileSync(path, "utf8")) as { hooks?: Record<string, { hooks: unknown[] }[]> };
  return Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks)).length;
}

/** Returns the names in a filter that are not among the usual tools. */
function namesIn(filter: string): string[] {
  const [, text = ""] = /(?:tool_name|command_name): (.*?)(?: and if .*)?$/.exec(filter) ?? [];
  return text
    .split(/ or |\||[/^$()]/)
    .map((name) => name.trim())
    .filter((name) => /^[\w:-]{3,}$/.test(name) && !USUAL.has(name));
}

/** Returns a command that matches a filter's rule, if the rule is about commands. */
function linesIn(filter: string): string[] {
  const [, pattern] = /if Bash\((.+)\)$/.exec(filter) ?? [];
  return pattern === undefined ? [] : [pattern.replace(/:\*$/, " it").replaceAll("*", "it")];
}

const USUAL: ReadonlySet<string> = new Set(["Bash", "Read", "Write", "Edit", "Grep", "Glob", "WebFetch", "TodoWrite"]);

function neverIn(reason = ""): string[] {
  return /^(\w+) never fires here/.exec(reason)?.slice(1) ?? [];
}

/** Gives background work time to finish. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, BACKGROUND_MS));
}

function short(text: string, ...folders: readonly string[]): string {
  const known = [...folders].sort((a, b) => b.length - a.length);
  let said = text;
  for (const folder of known) said = said.replaceAll(folder, "…");
  return said.replaceAll(dirname(process.execPath), "…").split("\n")[0]?.slice(0, 160) ?? "";
}
