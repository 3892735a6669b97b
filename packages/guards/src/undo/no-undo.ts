import { shownPath } from "./bytes.ts";

/** Thrown if a folder can have no undo, or an undo did not begin. Its message is a sentence for a person. */
export class NoUndo extends Error {
  override readonly name = "NoUndo";
  /** `late`: the time limit was reached. `big`: the project has too many files, so another attempt is useless. */
  readonly is: "late" | "big" | undefined;

  constructor(message: string, { is, ...options }: ErrorOptions & { readonly is?: "late" | "big" } = {}) {
    super(message, options);
    this.is = is;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space",
  EDQUOT: "the disk quota is used up; free some space",
  EROFS: "the disk is read-only; set HOOKLINE_HOME to a folder that can be written",
  EACCES: "permission is denied; check its owner and mode",
  EPERM: "permission is denied; check its owner and mode",
  ENOENT: "it is not there",
  ENOTDIR: "a part of its path is a file",
  EIO: "the disk reports an error; check the disk",
  EMFILE: "too many files are open; close some",
  ELOOP: "its links lead in a circle",
};

/** Whether an error is a file system error with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
}

/** Turns a file system error into a sentence; `what` names what could not be done. */
export function asNoUndo(error: unknown, what: string): NoUndo {
  if (error instanceof NoUndo) return error;
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  // On a read-only disk, Node's `mkdir` may fail with ENOENT instead of EROFS.
  const reason =
    REASONS[code === "ENOENT" && syscall === "mkdir" ? "EROFS" : code] ??
    (error instanceof Error ? error.message : String(error));
  const place = path === undefined ? "" : ` (${shownPath(Buffer.from(path).toString("latin1"))})`;
  return new NoUndo(`${what}: ${reason}${place}.`, { cause: error });
}
