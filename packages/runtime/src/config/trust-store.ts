import { lstatSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../decode/bytes.ts";
import type { Candidate, ItemKind } from "../dialect/dialect.ts";
import { HooklineError, messageOf } from "../error/error.ts";
import type { Consent, Judgement, LookAt, OpenPiece } from "./consent.ts";
import { exclusively } from "./exclusive.ts";
import { asAgreed, type BoundFolder, type Fingerprint, type HashedFile } from "./fingerprint.ts";
import { readPrivate, writePrivate } from "./private-file.ts";

/** What a person has approved, and when. */
export interface Approval extends Fingerprint {
  /** The kind of item; approvals of 0.1.0 do not have it, and are for hooks. */
  readonly kind?: ItemKind;
  readonly dialect: string;
  /** 1-based, if it was one entry of a file. */
  readonly line?: number;
  /** ISO 8601. */
  readonly approvedAt: string;
}

/** One approved place: a real path, and the lane that loads it. */
export type Approved = Pick<Approval, "path" | "lane" | "definition">;

/**
 * A person's consents, in `trust.json` in hookline's home (guarantees R53). It is read again for each question, so that
 * an approval given elsewhere counts at the next load. Several processes may write at once.
 */
export class TrustStore implements Consent {
  readonly path: string;
  /** The file's content when it was last read. */
  #known: { readonly state: string; readonly entries: readonly Approval[] } | undefined;

  constructor(hooklineHome: string) {
    this.path = join(hooklineHome, "trust.json");
  }

  /** Why the store cannot be used, with what to do; nothing is approved then. */
  get problem(): { readonly problem: string; readonly remedy: string } | undefined {
    const read = readPrivate(this.path);
    if (read.state === "refused") return read;
    if (read.state === "absent" || entriesOf(read.text) !== undefined) return undefined;
    return { problem: "it is not a trust store", remedy: "Move it away, and approve again." };
  }

  list(): readonly Approval[] {
    // Each write creates a new file, so its inode number shows the change.
    const stat = lstatSync(this.path, { bigint: true, throwIfNoEntry: false });
    const state = stat === undefined ? "" : [stat.ino, stat.mtimeNs, stat.ctimeNs, stat.size].join();
    if (this.#known?.state === state) return this.#known.entries;
    const read = readPrivate(this.path);
    const entries = read.state === "read" ? (entriesOf(read.text) ?? []) : [];
    // Reading may have made the file private, which changes its metadata.
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
    this.#change((entries) => [
      ...entries.filter((entry) => !approvals.some((approval) => isSame(entry, approval))),
      ...approvals,
    ]);
  }

  /** Removes the approvals that match; returns them. */
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

/** What approvals say about a definition as it is now. */
export function judge(approvals: readonly Approval[], candidate: Candidate, print: LookAt): Judgement {
  const now = print();
  const here = placesOf(approvals).get(`${candidate.lane} ${now.path}`) ?? [];
  const same = here.filter(({ definition }) => definition === now.definition);
  for (const approval of same) {
    const { files, boundTo, open } = approval;
    const paths = files.map(({ path }) => path);
    const { hash, refused } = asAgreed(print(paths, boundTo?.folder), files);
    if (hash === approval.hash && refused === undefined)
      return {
        verdict: "approved",
        files,
        ...(boundTo !== undefined && { boundTo }),
        ...(open !== undefined && { open }),
      };
  }
  // In an unchanged file, an entry that nobody has approved is not a change.
  const asItWas = here.every((approval) => shaOf(approval) === shaOf(now));
  const verdict = same.length > 0 || !asItWas ? "changed" : "pending";
  return { verdict, ...(now.refused !== undefined && { remedy: `It cannot be approved: ${now.refused}.` }) };
}

/** Approvals by lane and place; computed once for a list. */
function placesOf(approvals: readonly Approval[]): ReadonlyMap<string, readonly Approval[]> {
  const known = places.get(approvals);
  if (known !== undefined) return known;
  const found = new Map<string, Approval[]>();
  for (const approval of approvals) {
    const key = `${approval.lane} ${approval.path}`;
    const there = found.get(key);
    if (there === undefined) found.set(key, [approval]);
    else there.push(approval);
  }
  places.set(approvals, found);
  return found;
}

const places = new WeakMap<readonly Approval[], ReadonlyMap<string, readonly Approval[]>>();

/** The hash of the file that contains a definition. */
function shaOf({ path, files }: Fingerprint): string | undefined {
  return files.find((file) => file.path === path)?.sha256;
}

function isSame(a: Approved, b: Approved): boolean {
  return a.path === b.path && a.lane === b.lane && a.definition === b.definition;
}

/** The valid entries of a store; `undefined` for a text that is not a store. */
function entriesOf(text: string): Approval[] | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  const { version, entries } = (value ?? {}) as { version?: unknown; entries?: unknown };
  return version === 1 && Array.isArray(entries) ? entries.filter(isApproval) : undefined;
}

/** Whether a value from a file is an approval. */
export function isApproval(value: unknown): value is Approval {
  if (typeof value !== "object" || value === null) return false;
  const given = value as Readonly<Record<string, unknown>>;
  const texts = ["path", "lane", "definition", "hash", "dialect", "approvedAt"].every(
    (name) => typeof given[name] === "string",
  );
  const lists = Array.isArray(given["files"]) && given["files"].every(isHashedFile);
  const { kind, boundTo, open } = given;
  return (
    texts &&
    lists &&
    (kind === undefined || typeof kind === "string") &&
    (boundTo === undefined || isBoundFolder(boundTo)) &&
    (open === undefined || (Array.isArray(open) && open.every(isOpenPiece)))
  );
}

function isBoundFolder(value: unknown): value is BoundFolder {
  const { folder, sha256 } = (value ?? {}) as Partial<Record<keyof BoundFolder, unknown>>;
  return typeof folder === "string" && typeof sha256 === "string";
}

function isOpenPiece(value: unknown): value is OpenPiece {
  const { piece, file, why } = (value ?? {}) as Partial<Record<keyof OpenPiece, unknown>>;
  return typeof piece === "string" && typeof file === "string" && typeof why === "string";
}

function isHashedFile(value: unknown): value is HashedFile {
  const { path, sha256 } = (value ?? {}) as Partial<Record<keyof HashedFile, unknown>>;
  return typeof path === "string" && typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256);
}
