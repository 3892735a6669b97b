import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOSTS } from "../../packages/integrations/src/hosts.ts";
import { toolNamed } from "../../packages/runtime/src/agent-tools/table.ts";
import { root } from "../step.ts";
import { ACTS } from "./acts.ts";
import { type Cell, isTrue } from "./cells.ts";
import { writeNames } from "./names.ts";
import type { HostRun } from "./run.ts";

/** Path of the stored results, relative to the repository. */
export const RESULTS = "docs/reference/hosts.json";

/** The outcome of an act: the host's tool, the dialects whose guards refused it, and those whose guards did not. */
export interface ActResult {
  readonly by?: string;
  readonly works: string;
  readonly lost?: string;
}

/** The results of one version of a host, for models with the same results. */
export interface KeptRun {
  readonly host: string;
  readonly version: string;
  readonly models: readonly string[];
  /** For each model, the number of tested cells, and of those in which `bridge report` was wrong. */
  readonly tried: number;
  readonly wrong: number;
  readonly acts: Readonly<Record<string, ActResult>>;
}

/** Returns the stored results, in the order of hosts, versions and models. */
export function keptRuns(): readonly KeptRun[] {
  const path = join(root, RESULTS);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { readonly runs: readonly KeptRun[] }).runs : [];
}

/** Returns the results of a run. */
function resultOf({ host, version, model, cells, problems }: HostRun): KeptRun {
  const tried = cells.filter(({ happened }) => happened !== "none");
  const wrong = tried.filter((cell) => !isTrue(cell)).length + problems.length;
  return { host, version, models: [model], tried: tried.length, wrong, acts: actsOf(tried) };
}

function actsOf(cells: readonly Cell[]): KeptRun["acts"] {
  return Object.fromEntries(
    Object.entries(Object.groupBy(cells, ({ act }) => act)).map(([act, of = []]) => {
      const names = (what: boolean): string =>
        of.flatMap(({ happened, dialect }) => ((happened === "works") === what ? [dialect] : [])).join(" ");
      const lost = names(false);
      // A count differs from run to run, so only tools are stored.
      const [tool] = ACTS.some(({ name }) => name === act) ? of.flatMap(({ by }) => by ?? []) : [];
      return [act, { ...(tool !== undefined && { by: tool }), works: names(true), ...(lost !== "" && { lost }) }];
    }),
  );
}

/** Replaces the stored results of the same versions and models. */
export async function keepRuns(runs: readonly HostRun[]): Promise<void> {
  const fresh = runs.map(resultOf);
  const isFresh = (host: string, version: string, model: string): boolean =>
    fresh.some((run) => run.host === host && run.version === version && run.models.includes(model));
  const single = [
    ...keptRuns().flatMap((run) =>
      run.models.flatMap((model) => (isFresh(run.host, run.version, model) ? [] : [{ ...run, models: [model] }])),
    ),
    ...fresh,
  ];
  const alike = Object.values(Object.groupBy(single, ({ models: _, ...rest }) => JSON.stringify(rest)));
  const grouped = alike.flatMap(([one, ...more] = []) =>
    one === undefined ? [] : [{ ...one, models: [one, ...more].flatMap(({ models }) => models) }],
  );
  const key = ({ host, version, models }: KeptRun): string => `${host} ${version} ${models[0]}`;
  grouped.sort((a, b) => key(a).localeCompare(key(b), "en", { numeric: true }));
  writeFileSync(join(root, RESULTS), `{ "v": 1, "runs": [\n${grouped.map(textOf).join(",\n")}\n] }\n`);
  for (const host of new Set(runs.map((run) => run.host)))
    await keepNames(
      host,
      runs.filter((run) => run.host === host),
    );
}

/** Formats a run with one line for each act. */
function textOf({ acts, ...run }: KeptRun): string {
  const lines = Object.entries(acts).map(([act, result]) => `  ${JSON.stringify(act)}: ${JSON.stringify(result)}`);
  return `${JSON.stringify(run).slice(0, -1)}, "acts": {\n${lines.join(",\n")}\n} }`;
}

async function keepNames(name: string, runs: readonly HostRun[]): Promise<void> {
  const host = await HOSTS[name]?.();
  const held: Record<string, string[]> = {};
  const fields: Record<string, string[]> = {};
  const args: Record<string, string[]> = {};
  for (const { version, model, offered, moved } of runs) {
    (held[version] ??= []).push(model);
    for (const [tool, names] of Object.entries(offered)) {
      const told = tool.replace(".", "");
      if (host !== undefined && toolNamed(host.tools, told) !== undefined) (args[told] ??= []).push(...names);
    }
    for (const one of moved) {
      const of = one.kind === "argument" ? args : one.kind === "field" ? fields : undefined;
      const event = Object.keys(host?.events ?? {}).find((event) => one.name.startsWith(`${event}.`));
      const owner = one.kind === "field" ? event : one.name.slice(0, one.name.lastIndexOf("."));
      if (owner !== undefined)
        (of?.[owner] ?? (of === undefined ? [] : (of[owner] = []))).push(one.name.slice(owner.length + 1));
    }
  }
  await writeNames(name, { held, fields, args });
}

/**
 * Returns the differences of a run from the stored results of the next older version with the same model, one a line.
 */
export async function differences(run: HostRun): Promise<string[]> {
  const now = resultOf(run);
  const before = keptRuns().findLast(
    ({ host, version, models }) => host === run.host && version !== run.version && models.includes(run.model),
  );
  const at = `${run.host} ${run.version} ${run.model}`;
  const host = await HOSTS[run.host]?.();
  const tools = Object.keys(run.offered).filter((tool) => {
    const name = tool.replace(".", "");
    return host !== undefined && !host.tools.server.test(name) && toolNamed(host.tools, name) === undefined;
  });
  const acts = [...new Set([...Object.keys(now.acts), ...Object.keys(before?.acts ?? {})])].flatMap((act) => {
    const [a, b] = [before?.acts[act], now.acts[act]].map((one) =>
      one === undefined
        ? "no tool for it"
        : `${one.by ?? ""} works: ${one.works || "–"}, lost: ${one.lost ?? "–"}`.trim(),
    );
    return before === undefined || a === b ? [] : [`${at}: ${act}: ${a} (${before.version}) → ${b}`];
  });
  return [
    ...acts,
    ...run.moved.map(({ kind, name }) => `${at}: new ${kind}: ${name}`),
    ...tools.map((tool) => `${at}: offers the model a tool that tools.ts does not know: ${tool}`),
  ];
}
