import { createHash } from "node:crypto";
import type { Diagnostic, Session } from "@hookline/runtime";
import { type Candidate, type Dialect, type ItemKind, systemFiles } from "@hookline/runtime/internal";
import { type FoundItem, KINDS, type KindRow } from "./kinds.ts";

/** An approved item, with its text as it was when it was approved. */
export interface ApprovedItem {
  readonly path: string;
  /** Empty for one that is no text. */
  readonly text: string;
}

/** Each kind of item as a dialect without events: the same discovery, consent, lock and report as hooks have. */
export function itemDialects(kinds: readonly KindRow[] = KINDS): Dialect[] {
  return kinds.map((row) => ({
    id: row.kind,
    lanes: [{ id: row.kind, rows: [], isolate: false, live: false }],
    async discover(scan) {
      const diagnostics: Diagnostic[] = [];
      const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
      const { searched, items } = await row.find(scan, { tier: "project", report });
      return { searched, candidates: items.map((item) => candidateOf(row.kind, item)), diagnostics };
    },
    load(candidate, instance, { scan, contributions, approved }) {
      const { path } = candidate.source;
      const bytes = candidate.files.length === 0 ? new Uint8Array() : scan.files.read(path);
      if (bytes === undefined) throw new Error(`${path} cannot be read`);
      // What is used is what was looked at, whatever the disk holds by now.
      const known = approved?.find((file) => file.path === (scan.files.real(path) ?? path));
      if (known !== undefined && known.sha256 !== createHash("sha256").update(bytes).digest("hex"))
        throw new Error(`${path} has changed since it was approved`);
      const item: ApprovedItem = { path, text: new TextDecoder().decode(bytes) };
      contributions.add("text", `${row.kind} ${path}`, item, instance, "first");
    },
  }));
}

/** An item as consent sees it. */
export function candidateOf(kind: ItemKind, { path, files, definition, problem }: FoundItem): Candidate {
  return {
    kind,
    lane: kind,
    source: { path, tier: "project" },
    state: problem === undefined ? "runs" : "broken",
    ...(problem !== undefined && { reason: problem }),
    files,
    isText: true,
    definition,
  };
}

/** The items of a kind that the project brings along and a person has approved, in the order in which they were found. */
export function approvedItems({ contributions }: Pick<Session, "contributions">, kind: ItemKind): ApprovedItem[] {
  return [...contributions.all<ApprovedItem>("text").values()]
    .filter(({ instance }) => instance.lane === kind)
    .map(({ value }) => value);
}

/** The files that define items which nobody has approved, with links resolved. */
export function waitingFiles({ report }: Pick<Session, "report">): ReadonlySet<string> {
  const waiting = report.sources.filter(({ kind, state }) => kind !== undefined && state !== "runs");
  return new Set(waiting.map(({ path }) => systemFiles.real(path) ?? path));
}

/** What a kind of item does once it is approved; nothing for hooks, which say themselves when they run. */
export function doesOf(kind: ItemKind | undefined): string | undefined {
  return KINDS.find((row) => row.kind === kind)?.does;
}
