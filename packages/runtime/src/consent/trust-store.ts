import { lstatSync } from "node:fs";
import { join } from "node:path";
import { HooklineError, messageOf, parseJson } from "@hookline/ground";
import { exclusively, readPrivate, writePrivate } from "@hookline/ground/system";
import type { Candidate, ItemKind } from "../dialect/dialect.ts";
import type { ModuleFolder, OpenPiece } from "./answers.ts";
import type { Consent, Judgement, LookAt } from "./consent.ts";
import { type Bound, difference, type Fingerprint, type HashedFile } from "./fingerprint.ts";

/** A person's approval of a definition, with its time. */
export interface Approval extends Fingerprint {
  /** The kind of item; absent in approvals of 0.1.0, which are for hooks. */
  readonly kind?: ItemKind;
  readonly dialect: string;
  /** The 1-based line, if the definition is one entry of a file. */
  readonly line?: number;
  /** The JSON pointer of the definition, if other definitions begin on the same line. */
  readonly pointer?: string;
  /** The time in ISO 8601. */
  readonly approvedAt: string;
}

/** The key of an approval: the definition, the real path of its file, and the lane that loads it. */
export type Approved = Pick<Approval, "path" | "lane" | "definition">;

/**
 * A person's approvals, in `trust.json` in hookline's home (guarantees R53). The file is read again for each question,
 * so that an approval by another process counts at the next load. Several processes may write at once.
 */
export class TrustStore implements Consent {
  readonly path: string;
  /** The approvals as they were last read, with the file's state then, which shows whether to read it again. */
  #known: { readonly state: string; readonly entries: readonly Approval[] } | undefined;

  constructor(hooklineHome: string) {
    this.path = join(hooklineHome, "trust.json");
  }

  /** Why the store cannot be used, and what to do; then nothing is approved. */
  get problem(): { readonly problem: string; readonly remedy: string } | undefined {
    const read = readPrivate(this.path);
    if (read.state === "refused") return read;
    if (read.state === "absent" || entriesOf(read.text) !== undefined) return undefined;
    return { problem: "it is not a trust store", remedy: "Move it away, and approve again." };
  }

  list(): readonly Approval[] {
    // Each write creates a new file, so a new inode number shows the change.
    const stat = lstatSync(this.path, { bigint: true, throwIfNoEntry: false });
    const state = stat === undefined ? "" : [stat.ino, stat.mtimeNs, stat.ctimeNs, stat.size].join();
    if (this.#known?.state === state) return this.#known.entries;
    const read = readPrivate(this.path);
    const entries = read.state === "read" ? (entriesOf(read.text) ?? []) : [];
    // `readPrivate` may have narrowed the file's permissions; then `state` is out of date and is not kept.
    this.#known =
      read.state === "read" && stat !== undefined && (stat.mode & 0o077n) === 0n ? { state, entries } : undefined;
    return entries;
  }

  allows(candidate: Candidate, print: LookAt): Judgement {
    const judgement = judge(this.list(), candidate, print);
    if (judgement.verdict === "approved") return judgement;
    const { problem } = this;
    return problem === undefined
      ? judgement
      : { ...judgement, remedy: `${this.path} cannot be used: ${problem.problem}. ${problem.remedy}` };
  }

  /** Adds approvals; each replaces the one for the same definition. Throws for definitions that cannot be approved. */
  approve(approvals: readonly Approval[]): void {
    for (const { path, refused } of approvals) {
      if (refused !== undefined)
        throw new HooklineError("INVALID_OPTION", {
          option: path,
          problem: `cannot be approved: ${refused}`,
          remedy: "Let it name fewer files, or bind it to a smaller folder.",
        });
    }
    this.#change((entries) => {
      const all = [...entries, ...approvals];
      // A new approval replaces each earlier one of the same definition.
      return all.filter((one, at) => !approvals.some((other, i) => i + entries.length > at && isSame(one, other)));
    });
  }

  /** Removes the approvals that match, and returns them. */
  revoke(isRevoked: (approval: Approval) => boolean): readonly Approval[] {
    let gone: readonly Approval[] = [];
    this.#change((entries) => {
      gone = entries.filter(isRevoked);
      return entries.filter((entry) => !isRevoked(entry));
    });
    return gone;
  }

  #change(work: (entries: readonly Approval[]) => readonly Approval[]): void {
    exclusively(this.path, () => {
      const { problem } = this;
      if (problem !== undefined)
        throw new HooklineError("INVALID_OPTION", {
          option: `The trust store ${this.path}`,
          problem: `cannot be used: ${problem.problem}`,
          remedy: problem.remedy,
        });
      const text = `${JSON.stringify({ version: 1, entries: work(this.list()) }, null, 2)}\n`;
      try {
        writePrivate(this.path, text);
      } catch (thrown) {
        throw new HooklineError("INVALID_OPTION", {
          option: `The trust store ${this.path}`,
          problem: `could not be written: ${messageOf(thrown)}`,
          remedy: "Nothing was changed in it; free some space or repair its folder, then try again.",
        });
      }
    });
  }
}

/** Compares a definition as it is now with the approvals. */
export function judge(approvals: readonly Approval[], candidate: Candidate, print: LookAt): Judgement {
  const now = print();
  const here = placesOf(approvals).get(`${candidate.lane} ${now.path}`) ?? [];
  const same = here.filter(({ definition }) => definition === now.definition);
  let changed: string | undefined;
  for (const approval of same) {
    const judged = approval.rule === undefined ? byFormerRule(approval, print) : byRule(approval, print);
    if (typeof judged !== "string") return { verdict: "approved", ...judged };
    changed = judged;
  }
  // In an unchanged file, a definition without an approval is new, not changed.
  const asItWas = here.every((approval) => shaOf(approval) === shaOf(now));
  const verdict = same.length > 0 || !asItWas ? "changed" : "pending";
  return {
    verdict,
    ...(changed !== undefined && { changed }),
    ...(now.refused !== undefined && { remedy: `It cannot be approved: ${now.refused}.` }),
  };
}

/** Judges as `judge` does, for a lock of the former rule of coverage. Only the files that the lock lists count. */
export function judgeListed(approvals: readonly Approval[], candidate: Candidate, print: LookAt): Judgement {
  const now = print();
  const here = placesOf(approvals).get(`${candidate.lane} ${now.path}`) ?? [];
  let changed: string | undefined;
  for (const { definition, files, bound = [], open } of here) {
    if (definition !== now.definition) continue;
    const seen = print({ kept: files.map(({ path }) => path), bound: bound.map(({ path }) => path) });
    const listed = new Map(files.map((file) => [file.path, file.sha256]));
    const other = seen.files.find(({ path, sha256 }) => (listed.get(path) ?? sha256) !== sha256)?.path;
    changed =
      other ??
      seen.bound?.find(({ path, sha256 }) => !bound.some((one) => one.path === path && one.sha256 === sha256))?.path;
    if (changed === undefined && seen.refused === undefined) {
      const { modules = [] } = seen;
      // Code that does not show what it runs (`open`) is no obstacle under the former rule if `--bind` included
      // anything.
      return {
        verdict: "approved",
        files: seen.files,
        bound,
        modules,
        ...(bound.length > 0 ? { open: [] } : open && { open }),
      };
    }
  }
  return { verdict: here.length > 0 ? "changed" : "pending", ...(changed !== undefined && { changed }) };
}

/** Returns what an approval allows, or the first path that has changed since, or why it is now refused. */
function byRule(approval: Approval, print: LookAt): Omit<Judgement, "verdict"> | string {
  const { files, bound, open, modules, data } = approval;
  const kept = files.map(({ path }) => path);
  const now = print({ kept, ...(bound !== undefined && { bound: bound.map(({ path }) => path) }) });
  const changed = difference(now, approval);
  return (
    changed ?? {
      files,
      ...(bound && { bound }),
      ...(open && { open }),
      ...(modules && { modules }),
      ...(data && { data }),
    }
  );
}

/**
 * Judges an approval that was made by the former rule of coverage, which included files that the code only mentions. It
 * stays valid if each file that counts as code today has the approved bytes, and no file was added.
 */
function byFormerRule({ files, bound, open = [] }: Approval, print: LookAt): Omit<Judgement, "verdict"> | string {
  const at = bound === undefined ? {} : { bound: bound.map(({ path }) => path) };
  const now = print(at);
  const known = new Map(files.map((file) => [file.path, file.sha256]));
  const other = now.files.find(({ path, sha256 }) => known.get(path) !== sha256)?.path;
  if (other !== undefined) return other;
  const agreed = { files: now.files, open, modules: now.modules ?? [], ...(bound && { bound }) };
  const changed = difference(now, agreed);
  if (changed !== undefined) return changed;
  // Today's rule covers a package by its lock file. `kept` adds the single files that the old approval lists.
  const all = print({ ...at, kept: files.map(({ path }) => path) }).files;
  return {
    ...agreed,
    files: all.filter(({ path, sha256 }) => (known.get(path) ?? sha256) === sha256),
    open: now.open ?? [],
  };
}

/** Returns the approvals by lane and definition file; cached for each list. */
function placesOf(approvals: readonly Approval[]): ReadonlyMap<string, readonly Approval[]> {
  const known = places.get(approvals);
  if (known !== undefined) return known;
  const found = Map.groupBy(approvals, ({ lane, path }) => `${lane} ${path}`);
  places.set(approvals, found);
  return found;
}

const places = new WeakMap<readonly Approval[], ReadonlyMap<string, readonly Approval[]>>();

/** Returns the hash of the file that contains a definition. */
function shaOf({ path, files }: Fingerprint): string | undefined {
  return files.find((file) => file.path === path)?.sha256;
}

function isSame(a: Approved, b: Approved): boolean {
  return a.path === b.path && a.lane === b.lane && a.definition === b.definition;
}

/** Returns the valid entries of a store; `undefined` for a text that is not a store. */
function entriesOf(text: string): Approval[] | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  const { version, entries } = (value ?? {}) as { version?: unknown; entries?: unknown };
  return version === 1 && Array.isArray(entries) ? entries.flatMap((entry) => approvalIn(entry) ?? []) : undefined;
}

/** Returns the approval in a value from a file, if it is one. Older files call a bound folder `boundTo`. */
export function approvalIn(value: unknown): Approval | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { boundTo, ...rest } = value as Readonly<Record<string, unknown>>;
  const { folder, sha256 } = (boundTo ?? {}) as { readonly folder?: unknown; readonly sha256?: unknown };
  const given = boundTo === undefined ? rest : { ...rest, bound: [{ path: folder, sha256 }] };
  return isApproval(given) ? given : undefined;
}

function isApproval(given: Readonly<Record<string, unknown>>): given is Readonly<Record<string, unknown>> & Approval {
  const texts = ["path", "lane", "definition", "hash", "dialect", "approvedAt"].every(
    (name) => typeof given[name] === "string",
  );
  const lists = Array.isArray(given["files"]) && given["files"].every(isHashedFile);
  const { kind, bound, open, modules, data } = given;
  return (
    texts &&
    lists &&
    (kind === undefined || typeof kind === "string") &&
    (bound === undefined || (Array.isArray(bound) && bound.every(isBound))) &&
    (modules === undefined || (Array.isArray(modules) && modules.every(isModuleFolder))) &&
    (data === undefined || (Array.isArray(data) && data.every((one) => typeof one?.file === "string"))) &&
    (open === undefined || (Array.isArray(open) && open.every(isOpenPiece)))
  );
}

function isBound(value: unknown): value is Bound {
  const { path, sha256 } = (value ?? {}) as Partial<Record<keyof Bound, unknown>>;
  return typeof path === "string" && (sha256 === undefined || typeof sha256 === "string");
}

function isModuleFolder(value: unknown): value is ModuleFolder {
  const { folder, names } = (value ?? {}) as Partial<Record<keyof ModuleFolder, unknown>>;
  return typeof folder === "string" && Array.isArray(names) && names.every((name) => typeof name === "string");
}

function isOpenPiece(value: unknown): value is OpenPiece {
  const { piece, file, why, bind } = (value ?? {}) as Partial<Record<keyof OpenPiece, unknown>>;
  const isBind = bind === undefined || (Array.isArray(bind) && bind.every((one) => typeof one === "string"));
  return typeof piece === "string" && typeof file === "string" && typeof why === "string" && isBind;
}

function isHashedFile(value: unknown): value is HashedFile {
  const { path, sha256 } = (value ?? {}) as Partial<Record<keyof HashedFile, unknown>>;
  return typeof path === "string" && typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256);
}
