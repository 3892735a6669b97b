import { messageOf } from "@hookline/ground";
import type { ModuleReport } from "../../port/module.ts";
import { positionOf } from "./scripts.ts";

type Failed = Extract<ModuleReport, { ok: false }>;

/** The error for a module's file that cannot be read, transformed or resolved. Code may catch it from `require`. */
export class LoadFailure extends Error {
  /** Node's error code for a missing module, which code that tries optional packages checks. */
  readonly code: string | undefined;
  readonly phase: Failed["phase"];
  readonly file: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(
    phase: Failed["phase"],
    message: string,
    at: { file: string; line?: number | undefined; column?: number | undefined; cause?: unknown },
  ) {
    super(message, at.cause === undefined ? undefined : { cause: at.cause });
    this.name = "LoadFailure";
    this.code = phase === "resolve" ? "MODULE_NOT_FOUND" : undefined;
    this.phase = phase;
    this.file = at.file;
    this.line = at.line;
    this.column = at.column;
  }
}

/** Returns the failure for a file that was approved with other bytes, or not at all. */
export function notAdmitted(path: string): LoadFailure {
  const message = `${path} is not what was approved: it has changed since, or was not imported then by a path that is written out`;
  return new LoadFailure("read", message, { file: path });
}

/** Converts the error of a failed load to a report. An error that the module itself threw has the phase `run`. */
export function failureReport(thrown: unknown, entry: string): Failed {
  if (thrown instanceof LoadFailure) {
    return report(thrown.phase, thrown.message, thrown.file, thrown, thrown.cause ?? thrown);
  }
  const at = positionOf(thrown);
  return report("run", messageOf(thrown), at?.file ?? entry, at ?? {}, thrown);
}

function report(
  phase: Failed["phase"],
  message: string,
  file: string,
  at: { readonly line?: number | undefined; readonly column?: number | undefined },
  cause: unknown,
): Failed {
  return {
    ok: false,
    phase,
    message,
    file,
    ...(at.line === undefined ? {} : { line: at.line }),
    ...(at.column === undefined ? {} : { column: at.column }),
    cause,
  };
}
