import { dirname, join, resolve } from "node:path";
import type { Candidate } from "../dialect/dialect.ts";
import { HooklineError } from "../error/error.ts";
import type { Files } from "../port/files.ts";
import type { Consent, Judgement, LookAt } from "./consent.ts";
import { below } from "./fingerprint.ts";
import { LOCK_NAME } from "./tree.ts";
import { type Approval, isApproval, judge } from "./trust-store.ts";

/** Where a project's lock file is: in the nearest folder upwards that has one, else in `cwd`, where it would be written. */
export function lockPath(cwd: string, files: Files): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, LOCK_NAME);
    if (files.stat(path)?.kind === "file") return path;
    if (dirname(folder) === folder) return join(cwd, LOCK_NAME);
  }
}

/** The text of a lock file for these approvals; paths are relative to it, so that it can be kept with the project. */
export function lockText(path: string, approvals: readonly Approval[]): string {
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
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
}

/** Only what the project's lock file lists may run, whatever was approved on this machine. */
export class FrozenConsent implements Consent {
  readonly path: string;
  readonly #approvals: readonly Approval[] | undefined;

  /** Reads the file. Throws for one that is damaged; without one, nothing of a project runs. */
  constructor(cwd: string, files: Files) {
    this.path = lockPath(files.real(cwd) ?? cwd, files);
    const bytes = files.read(this.path);
    this.#approvals = bytes === undefined ? undefined : readLock(this.path, new TextDecoder().decode(bytes));
  }

  allows(candidate: Candidate, print: LookAt): Judgement {
    const judgement = judge(this.#approvals ?? [], candidate, print);
    if (judgement.verdict === "approved") return judgement;
    const what = this.#approvals === undefined ? `There is no ${this.path}` : `${this.path} does not list it as it is`;
    return {
      ...judgement,
      remedy: `${what}; run \`hookline trust approve --lock\`, and keep the file with the project.`,
    };
  }
}

function readLock(path: string, text: string): Approval[] {
  const damaged = (): HooklineError =>
    new HooklineError("INVALID_OPTION", {
      option: `The lock file ${path}`,
      problem: "cannot be read",
      remedy: "Write it anew with `hookline trust approve --lock`.",
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged();
  }
  const { version, hooks } = (value ?? {}) as { version?: unknown; hooks?: unknown };
  if (version !== 1 || !Array.isArray(hooks)) throw damaged();
  return hooks.map((hook: unknown) => {
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
}
