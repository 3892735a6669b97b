import { dirname, join, resolve } from "node:path";
import type { Files } from "@hookline/ground";
import { HooklineError, parseJson, place } from "@hookline/ground";
import type { Candidate } from "../dialect/dialect.ts";
import { projectAbove } from "../dialect/project.ts";
import { type Consent, type Judgement, type LookAt, openPart, openRemedy } from "./consent.ts";
import { below } from "./fingerprint.ts";
import { LOCK_NAME } from "./tree.ts";
import { type Approval, approvalIn, judge, judgeListed } from "./trust-store.ts";

/**
 * Returns the path of a project's lock file: in the nearest folder up to the project's root that has one, else in
 * `cwd`, where it would be written.
 */
export function lockPath(cwd: string, files: Files, home?: string): string {
  const above = projectAbove({ cwd, files, ...(home !== undefined && { home }) });
  const paths = [cwd, ...above].map((folder) => join(folder, LOCK_NAME));
  return paths.find((path) => files.stat(path)?.kind === "file") ?? join(cwd, LOCK_NAME);
}

/** A hook that must run because the lock file lists it; has the form of `Expected`. */
export interface Locked {
  readonly name: string;
  readonly path: string;
  readonly by: "lock";
  readonly needs: "load";
  readonly entry: { readonly lane: string; readonly definition: string };
}

/** The dialects that a lock of version 1 covers: those that existed when it was written. */
const FIRST_DIALECTS: readonly string[] = ["jcli", "chibi", "omp", "pi"];

/**
 * Returns the text of a lock file with these approvals, which covers the named dialects (ruling 55). Paths are
 * relative to the file, so that it can be committed with the project.
 */
export function lockText(path: string, approvals: readonly Approval[], dialects: readonly string[]): string {
  const folder = dirname(path);
  const hooks = approvals.map(
    ({ kind = "hook", path: own, lane, dialect, line, definition, rule, files, hash, ...rest }) => ({
      kind,
      path: below(own, folder),
      ...(line !== undefined && { line }),
      ...(rest.pointer !== undefined && { pointer: rest.pointer }),
      dialect,
      lane,
      definition,
      rule,
      files: files.map((file) => ({ path: below(file.path, folder), sha256: file.sha256 })),
      ...placed(rest, (path) => below(path, folder)),
      hash,
    }),
  );
  hooks.sort((a, b) => (`${a.path}\0${a.lane}\0${a.hash}` < `${b.path}\0${b.lane}\0${b.hash}` ? -1 : 1));
  return `${JSON.stringify({ version: 3, dialects: [...dialects].sort(), hooks }, null, 2)}\n`;
}

/**
 * A consent by which only hooks in the project's lock file may run, whatever is approved on this machine. The lock is a
 * contract: hooks that it lists must run, and no others may exist (ruling 55).
 */
export class FrozenConsent implements Consent {
  readonly path: string;
  /** Why there is no usable lock; `undefined` if there is one. */
  readonly problem: string | undefined;
  readonly #lock: Lock | undefined;

  /** Reads the lock file. Throws if it is damaged; if it is missing, nothing of the project may run. */
  constructor(cwd: string, files: Files, home?: string) {
    this.path = lockPath(files.real(cwd) ?? cwd, files, home);
    const bytes = files.read(this.path);
    this.problem = bytes === undefined ? (files.fault?.(this.path) ?? "there is no such file") : undefined;
    this.#lock = bytes === undefined ? undefined : readLock(this.path, bytes);
  }

  /** Returns the hooks that must run: every entry of the lock. */
  get expected(): readonly Locked[] {
    const folder = dirname(this.path);
    return (this.#lock?.approvals ?? []).map(({ path, line, pointer, lane, definition }) => ({
      name: `${place({ path: below(path, folder), line, pointer })} (${lane}) of ${LOCK_NAME}`,
      path,
      by: "lock",
      needs: "load",
      entry: { lane, definition },
    }));
  }

  /** Returns whether the lock covers a dialect. Hooks of other dialects do not run and are not reported as unlisted. */
  speaksFor(dialect: string): boolean {
    return this.#lock?.dialects.includes(dialect) ?? true;
  }

  allows(candidate: Candidate, print: LookAt): Judgement {
    // The lock does not concern a person's own hooks; the project's files that they run are approved as they are now.
    if (candidate.source.tier !== "project") return { ...print(), verdict: "approved" };
    const approvals = this.#lock?.approvals ?? [];
    const judgement =
      (this.#lock?.version ?? 3) < 3 ? judgeListed(approvals, candidate, print) : judge(approvals, candidate, print);
    if (judgement.verdict === "approved") {
      const open = openPart(judgement, print);
      return open === undefined ? judgement : { verdict: "pending", remedy: openRemedy(open) };
    }
    return {
      ...judgement,
      remedy: `${this.#problem(candidate, judgement)}; run \`hookline trust approve --lock\`, and keep the file with the project.`,
    };
  }

  /** Whether the lock is of version 2, which only this release still accepts. */
  get isFormer(): boolean {
    return this.#lock?.version === 2;
  }

  #problem({ source, lane }: Candidate, { changed }: Judgement): string {
    if (this.#lock === undefined) return `There is no ${this.path}`;
    if (!this.speaksFor(source.dialect ?? lane))
      return `${this.path} was written before hookline ran hooks of this kind`;
    return changed === undefined
      ? `${this.path} does not list this version of the hook`
      : `${changed} differs from what ${this.path} lists`;
  }
}

/**
 * Judges as another consent does, and records where the project differs from its lock, so that differences are reported
 * even without `--frozen`.
 */
export class LockWatch implements Consent {
  readonly #consent: Consent;
  readonly #lock: FrozenConsent;
  readonly #met = new Set<string>();
  /** A sentence about each difference, by the path of the definition. */
  readonly #differs = new Map<string, string>();
  /** Messages about hooks that the lock lists but nobody has approved on this machine. */
  readonly unapproved: string[] = [];

  constructor(consent: Consent, lock: FrozenConsent) {
    this.#consent = consent;
    this.#lock = lock;
  }

  allows(candidate: Candidate, print: LookAt): boolean | Judgement {
    const judged = this.#consent.allows(candidate, print);
    const { source, lane } = candidate;
    if (source.tier !== "project" || !this.#lock.speaksFor(source.dialect ?? lane)) return judged;
    const { verdict } = this.#lock.allows(candidate, print);
    const { path, definition } = print();
    if (verdict === "approved") {
      this.#met.add(keyOf({ path, lane, definition }));
      if (judged !== true && (judged === false || judged.verdict !== "approved"))
        this.unapproved.push(`${place(source)} is locked, but nobody has approved it on this machine`);
    } else {
      const how = verdict === "changed" ? "has changed since it was locked" : "is not locked, or not bound to a folder";
      this.#differs.set(path, `${place(source)} ${how}`);
    }
    return judged;
  }

  /** Returns where the project and its lock differ, in words; empty if they agree. Valid once all hooks are loaded. */
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
  /** The version of the format. Before version 3, locks followed the former rule of coverage, see `judgeListed`. */
  readonly version: number;
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
  if ((version !== 1 && version !== 2 && version !== 3) || !Array.isArray(hooks) || !isTexts(named)) throw damaged();
  const approvals = hooks.map((hook: unknown) => {
    const approval = approvalIn({ ...(hook as object), approvedAt: "" });
    if (approval === undefined) throw damaged();
    const at = (relative: string): string => resolve(dirname(path), relative);
    return {
      ...approval,
      path: at(approval.path),
      files: approval.files.map((file) => ({ ...file, path: at(file.path) })),
      ...placed(approval, at),
    };
  });
  return { dialects: named, approvals, version };
}

/** Returns the fields of an approval that contain paths, with `at` applied to each path. */
function placed(
  { bound, open, data, modules, inRoot }: Omit<Partial<Approval>, "path" | "files">,
  at: (path: string) => string,
): Partial<Approval> {
  return {
    ...(bound && { bound: bound.map((one) => ({ ...one, path: at(one.path) })) }),
    ...(open && {
      open: open.map((one) => ({ ...one, file: at(one.file), ...(one.bind && { bind: one.bind.map(at) }) })),
    }),
    ...(data && { data: data.map((one) => ({ ...one, file: at(one.file) })) }),
    ...(modules && { modules: modules.map((one) => ({ ...one, folder: at(one.folder) })) }),
    ...(inRoot && { inRoot: inRoot.map(at) }),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
