import { createHash } from "node:crypto";
import { systemFiles } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import type { Candidate, Dialect, ItemKind, Surroundings } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import type { ServerDefinition } from "../mcp/definition.ts";
import type { ServerSource } from "../mcp/server.ts";
import { type FoundItem, type ItemScan, KINDS, type KindRow } from "./kinds.ts";

/** An approved item, such as a skill or a rule, with its text as it was when it was approved. */
export interface ApprovedItem {
  readonly path: string;
  /** The text of the item's file; empty for an item that is only some data in a file, such as a list of packages. */
  readonly text: string;
}

/** Options for finding items: which kinds, and the files that the command line names. */
export interface ItemOptions extends Pick<ItemScan, "mcpFiles"> {
  readonly kinds?: readonly KindRow[];
}

/**
 * Returns each kind of item as a dialect without events: it gets the same discovery, consent, lock and report as hooks.
 */
export function itemDialects({ kinds = KINDS, mcpFiles = [] }: ItemOptions = {}): Dialect[] {
  return kinds.map((row) => ({
    id: row.kind,
    lanes: [{ id: row.kind, rows: [], isolate: false, live: false }],
    async discover(scan) {
      const diagnostics: Diagnostic[] = [];
      const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
      const { searched, items } = await row.find({ ...scan, mcpFiles }, { tier: "project", report });
      return { searched, candidates: items.map((item) => candidateOf(row.kind, item)), diagnostics };
    },
    async load(candidate, instance, around) {
      const { scan, contributions, approved } = around;
      const lack = await row.lack?.(candidate.definition, scan);
      if (lack !== undefined) throw new Error(lack);
      const { path } = candidate.source;
      if (candidate.kind === "mcp") {
        const server = serverOf(candidate, around);
        contributions.add("server", server.definition.name, server, instance, "first");
        return;
      }
      const bytes = candidate.files.length === 0 ? new Uint8Array() : scan.files.read(path);
      if (bytes === undefined) throw new Error(`${path} cannot be read`);
      // The file is read only once, because it may change between the comparison of its hash and its use.
      const known = approved?.find((file) => file.path === (scan.files.real(path) ?? path));
      if (known !== undefined && known.sha256 !== createHash("sha256").update(bytes).digest("hex"))
        throw new Error(`${path} changed after it was approved`);
      const item: ApprovedItem = { path, text: new TextDecoder().decode(bytes) };
      contributions.add("text", `${row.kind} ${path}`, item, instance, "first");
    },
  }));
}

/** Returns an item, such as a skill, as a candidate. It is approved and loaded in the same way as a hook. */
export function candidateOf(kind: ItemKind, item: FoundItem): Candidate {
  const { path, tier = "project", line, pointer, files, definition, problem, command, folder, dialect } = item;
  return {
    kind,
    lane: kind,
    source: {
      path,
      tier,
      ...(line !== undefined && { line }),
      ...(pointer !== undefined && { pointer }),
      ...(dialect !== undefined && { dialect }),
    },
    state: problem === undefined ? "runs" : "broken",
    ...(problem !== undefined && { reason: problem }),
    files,
    ...(kind === "mcp" ? {} : { isText: true }),
    ...(command !== undefined && { commands: [command] }),
    ...(folder !== undefined && { folders: [folder] }),
    definition,
  };
}

/** Returns a server whose transports start and contact only what was approved. */
function serverOf(
  { definition, source: { path, line, pointer, tier } }: Candidate,
  { transports }: Surroundings,
): ServerSource {
  return {
    definition: definition as ServerDefinition,
    path,
    ...(line !== undefined && { line }),
    ...(pointer !== undefined && { pointer }),
    tier,
    processes: transports.process,
    http: transports.http,
  };
}

/** Returns the servers that may run: configured ones in discovery order, then those that extensions have registered. */
export function approvedServers({ contributions }: Pick<HookSession, "contributions">): ServerSource[] {
  const all = [...contributions.all<ServerSource>("server")];
  const configured = all.flatMap(([key, { value }]) => (key === value.definition.name ? [value] : []));
  const names = new Set(configured.map(({ definition }) => definition.name));
  return [...configured, ...all.flatMap(([, { value }]) => (names.has(value.definition.name) ? [] : [value]))];
}

/** Returns the project's items of a kind that a person has approved, in discovery order. */
export function approvedItems({ contributions }: Pick<HookSession, "contributions">, kind: ItemKind): ApprovedItem[] {
  return [...contributions.all<ApprovedItem>("text").values()]
    .filter(({ instance }) => instance.lane === kind)
    .map(({ value }) => value);
}

/** Returns the files that define unapproved items, with links resolved. */
export function waitingFiles({ report }: Pick<HookSession, "report">): ReadonlySet<string> {
  const waiting = report.sources.filter(({ kind, state }) => kind !== undefined && state !== "runs");
  return new Set(waiting.map(({ path }) => systemFiles.real(path) ?? path));
}

/** Says what an item of this kind does once it is approved; undefined for hooks. */
export function doesOf(kind: ItemKind | undefined): string | undefined {
  return KINDS.find((row) => row.kind === kind)?.does;
}
