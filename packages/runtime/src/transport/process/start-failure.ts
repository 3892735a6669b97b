import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { ProcessReport } from "../../port/process.ts";
import type { Launch, StartFailure } from "./launch.ts";

type StartError = NonNullable<ProcessReport["startError"]>;

const REASONS: Readonly<Record<string, string>> = {
  E2BIG: "its arguments and environment are larger than the system takes",
  EMFILE: "this process has too many files open",
  ENFILE: "the system has too many files open",
  EAGAIN: "no more processes may be started now",
  ENOMEM: "there is not enough memory",
  ETXTBSY: "the file is still being written",
  ENOEXEC: "the system does not know its format",
  NO_ECHO:
    "hookline runs in a program that cannot read what its child processes print; run it with Node 22.19 or newer",
  ERR_INVALID_ARG_VALUE: "an argument or variable contains a NUL character",
};

/**
 * Explains a start failure. The system has one code for a missing program, interpreter and working directory; checking
 * the files tells them apart. Names paths, never arguments or variables.
 */
export function explainStart({ code, message }: StartFailure, launch: Launch): StartError {
  if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") {
    return { code, message: ofDirectory(launch.cwd) ?? ofProgram(code, launch) };
  }
  const reason = REASONS[code] ?? withoutArguments(message);
  return { code, message: `${launch.file} was not started: ${reason} (${code})` };
}

function ofDirectory(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return `The working directory ${cwd} is not a directory`;
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES"
      ? `The working directory ${cwd} may not be entered`
      : `The working directory ${cwd} does not exist`;
  }
}

function ofProgram(code: string, launch: Launch): string {
  const path = locate(launch);
  if (path === undefined) {
    return launch.file.includes("/")
      ? `The program ${launch.file} does not exist`
      : `The program ${launch.file} is not in PATH`;
  }
  return code === "EACCES"
    ? `The program ${path} may not be executed`
    : `The program ${path} was not started: the interpreter that its first line names does not exist`;
}

function locate({ file, cwd, env }: Launch): string | undefined {
  const places = file.includes("/")
    ? [file.startsWith("/") ? file : join(cwd, file)]
    : (env["PATH"] ?? "/usr/bin:/bin").split(delimiter).map((directory) => join(directory, file));
  return places.find((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
}

/**
 * Returns the error code at the end of Node's message. The rest is not shown: it begins with the program and its
 * arguments, which may be a payload.
 */
function withoutArguments(message: string): string {
  const found = /\b[A-Z][A-Z0-9]{2,}$/.exec(message.trim());
  return found === null ? "the system refused it" : `the system answered ${found[0]}`;
}
