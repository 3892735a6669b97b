import { dirname, join, resolve } from "node:path";
import { parseJson } from "../decode/bytes.ts";
import type { Candidate } from "../dialect/dialect.ts";
import { projectFolders } from "../dialect/project.ts";
import { place } from "../error/diagnostic.ts";
import { HooklineError } from "../error/error.ts";
import type { Files } from "../port/files.ts";
import { type Consent, type Judgement, type LookAt, openPart, openRemedy } from "./consent.ts";
import type { Expected } from "./expected.ts";
import { below } from "./fingerprint.ts";
import { LOCK_NAME } from "./tree.ts";
import { type Approval, isApproval, judge } from "./trust-store.ts";

/** Where a project's lock file is: in the nearest folder upwards that has one, else in `cwd`, where it would be written. */
export function lockPath(cwd: string, files: Files): string {
  const paths = projectFolders({ cwd, files }).map((folder) => join(folder, LOCK_NAME));
  return paths.find((path) => files.stat(path)?.kind === "file") ?? join(cwd, LOCK_NAME);
}

/** The dialects for which a lock of version 1 speaks: those that there were when it was written. */
const FIRST_DIALECTS: readonly string[] = ["jcli", "chibi", "omp", "pi"];

/**
 * The text of a lock file for these approvals, which speaks for the named dialects (decision 55); paths are relative to
 * it, so that it can be kept with the project.
 */
export function lockText(path: string, approvals: readonly Approval[], dialects: readonly string[]): string {
  const folder = dirname(path);
  const hooks = approvals.map(
    ({ kind = "hook", path: own, lane, dialect, line, definition, files, boundTo, open, hash }) => ({
      kind,
      path: below(own, folder),
      ...(line !== undefined && { line }),
      dialect,
      lane,
      definition,
      files: files.map((file) => ({ path: below(file.path, folder), sha256: file.sha256 })),
      ...(boundTo !== undefined && { boundTo: { ...boundTo, folder: below(boundTo.folder, folder) } }),
      ...(open !== undefined && { open: open.map((one) => ({ ...one, file: below(one.file, folder) })) }),
      hash,
    }),
  );
  hooks.sort((a, b) => (`${a.path}\0${a.lane}\0${a.hash}` < `${b.path}\0${b.lane}\0${b.hash}` ? -1 : 1));
  return `${JSON.stringify({ version: 2, dialects: [...dialects].sort(), hooks }, null, 2)}\n`;
}

/**
 * Only what the project's lock file lists may run, whatever was approved on this machine. The lock is a contract: what it
 * lists must run, and what it does not list must not be there (decision 55).
 */
export class FrozenConsent implements Consent {
  readonly path: string;
  /** Why there is no lock to go by; undefined where there is one. */
  readonly problem: string | undefined;
  readonly #lock: Lock | undefined;

  /** Reads the file. Throws for one that is damaged; without one, nothing of a project runs. */
  constructor(cwd: string, files: Files) {
    this.path = lockPath(files.real(cwd) ?? cwd, files);
    const bytes = files.read(this.path);
    this.problem = bytes === undefined ? (files.fault?.(this.path) ?? "there is no such file") : undefined;
    this.#lock = bytes === undefined ? undefined : readLock(this.path, bytes);
  }

  /** What must run: every entry of the lock. */
  get expected(): readonly Expected[] {
    const folder = dirname(this.path);
    return (this.#lock?.approvals ?? []).map(({ path, line, lane, definition }) => ({
      name: `${below(path, folder)}${line === undefined ? "" : `:${line}`} (${lane}) of ${LOCK_NAME}`,
      path,
      by: "lock",
      needs: "load",
      entry: { lane, definition },
    }));
  }

  /** Whether the lock says anything about a dialect; hooks of others do not run and break no contract. */
  speaksFor(dialect: string): boolean {
    return this.#lock?.dialects.includes(dialect) ?? true;
  }

  allows(candidate: Candidate, print: LookAt): Judgement {
    const judgement = judge(this.#lock?.approvals ?? [], candidate, print);
    if (judgement.verdict === "approved") {
      const open = openPart(judgement, print);
      return open === undefined ? judgement : { verdict: "pending", remedy: openRemedy(open) };
    }
    return {
      ...judgement,
      remedy: `${this.#problem(candidate)}; run \`hookline trust approve --lock\`, and keep the file with the project.`,
    };
  }

  #problem({ source, lane }: Candidate): string {
    if (this.#lock === undefined) return `There is no ${this.path}`;
    if (!this.speaksFor(source.dialect ?? lane))
      return `${this.path} was written before hookline ran hooks of this kind`;
    return `${this.path} does not list it as it is`;
  }
}

/**
 * Judges as another consent does, and notes where the project differs from its lock, so that a lock that is not met is
 * told without `--frozen` too.
 */
export class LockWatch implements Consent {
  readonly #consent: Consent;
  readonly #lock: FrozenConsent;
  readonly #met = new Set<string>();
  /** The differences, by the path of the definition. */
  readonly #differs = new Map<string, string>();
  /** Locked hooks that may not run all the same. */
  readonly unapproved: string[] = [];

  constructor(consent: Consent, lock: FrozenConsent) {
    this.#consent = consent;
    this.#lock = lock;
  }

  allows(candidate: Candidate, print: LookAt): boolean | Judgement {
    const judged = this.#consent.allows(candidate, print);
    const { source, lane } = candidate;
    if (!this.#lock.speaksFor(source.dialect ?? lane)) return judged;
    const { verdict } = this.#lock.allows(candidate, print);
    const { path, definition } = print();
    if (verdict === "approved") {
      this.#met.add(keyOf({ path, lane, definition }));
      if (judged !== true && (judged === false || judged.verdict !== "approved"))
        this.unapproved.push(`${place(source)} is locked, but nobody has approved it on this machine`);
    } else {
      const how = verdict === "changed" ? "has changed since it was locked" : "is not locked, or not bound";
      this.#differs.set(path, `${place(source)} ${how}`);
    }
    return judged;
  }

  /** Where the project and its lock differ, in words; empty if the lock is met. Read it once hooks are loaded. */
  get differences(): readonly string[] {
    const gone = this.#lock.expected.filter(
      ({ path, entry }) => entry !== undefined && !this.#met.has(keyOf({ path, ...entry })) && !this.#differs.has(path),
    );
    return [...this.#differs.values(), ...gone.map(({ name }) => `${name} was not found`)];
  }
}

function keyOf({ path, lane, definition }: Pick<Approval, "path" | "lane" | "definition">): string {
  return `${lane}\0${path}\0${definition}`;
}

interface Lock {
  readonly dialects: readonly string[];
  readonly approvals: readonly Approval[];
}

function readLock(path: string, bytes: Uint8Array): Lock {
  const damaged = (): HooklineError =>
    new HooklineError("INVALID_OPTION", {
      option: `The lock file ${path}`,
      problem: "cannot be read",
      remedy: "Write it again with `hookline trust approve --lock`.",
    });
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch {
    throw damaged();
  }
  const { version, hooks, dialects } = (value ?? {}) as { version?: unknown; hooks?: unknown; dialects?: unknown };
  const named = version === 1 ? FIRST_DIALECTS : dialects;
  if ((version !== 1 && version !== 2) || !Array.isArray(hooks) || !isTexts(named)) throw damaged();
  const approvals = hooks.map((hook: unknown) => {
    const approval = { ...(hook as object), approvedAt: "" };
    if (!isApproval(approval)) throw damaged();
    const at = (relative: string): string => resolve(dirname(path), relative);
    return {
      ...approval,
      path: at(approval.path),
      files: approval.files.map((file) => ({ ...file, path: at(file.path) })),
      ...(approval.boundTo && { boundTo: { ...approval.boundTo, folder: at(approval.boundTo.folder) } }),
      ...(approval.open && { open: approval.open.map((one) => ({ ...one, file: at(one.file) })) }),
    };
  });
  return { dialects: named, approvals };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
