import { sep } from "node:path";
import type { Transports } from "../dialect/dialect.ts";
import type { OpenProcess, ProcessReport } from "../port/process.ts";
import type { Judgement, LookAt } from "./consent.ts";

/** What was agreed to, and how it is looked at again. */
export interface Agreed extends Pick<Judgement, "files" | "boundTo"> {
  /** Files that were read at load and are not run, such as the file that defines the hook. */
  readonly read: ReadonlySet<string>;
  /** Looks at the definition as it is now; must remember nothing of an earlier look. */
  readonly look: LookAt;
  /** Told the path of what is not as it was agreed to, and is therefore not run. */
  onRefused(path: string): void;
}

/**
 * Transports that run nothing but what was agreed to: everything that consent covers is looked at again at every start
 * (guarantees R53), also for files that have come to fit a name. A module's files are the very bytes that are run. A
 * process of which something has changed is not started, which is the engine's failure, so that a guard refuses.
 */
export function guardTransports(transports: Transports, agreed: Agreed): Transports {
  const { files = [], boundTo, read, look, onRefused } = agreed;
  const known = new Map(files.map((file) => [file.path, file.sha256]));
  const changed = (): string | undefined => {
    const now = look([...known.keys()], boundTo?.folder);
    if (now.refused !== undefined) return now.refused;
    if (now.boundTo?.sha256 !== boundTo?.sha256) return boundTo?.folder;
    // A file that is not found any more has become a link to another.
    const there = new Set(now.files.map(({ path }) => path));
    const gone = [...known.keys()].find((path) => !read.has(path) && !there.has(path));
    if (gone !== undefined) return gone;
    return now.files.find(
      ({ path, sha256, isData }) =>
        !read.has(path) && known.get(path) !== sha256 && (known.has(path) || isData !== true),
    )?.path;
  };
  const { process, module, http } = transports;
  return {
    ...transports,
    process: {
      close: () => process.close(),
      run: async (call) => {
        const path = changed();
        if (path === undefined) return process.run(call);
        onRefused(path);
        return notRun(changedSince(path));
      },
      open: async (call) => {
        const path = changed();
        if (path === undefined) return process.open(call);
        onRefused(path);
        return notOpened(changedSince(path));
      },
    },
    http: {
      close: () => http.close(),
      ask: async (call) => {
        const path = changed();
        if (path === undefined) return http.ask(call);
        onRefused(path);
        return { ...NOT_ASKED, problem: changedSince(path) };
      },
      open: async (call) => {
        const path = changed();
        if (path === undefined) return http.open(call);
        onRefused(path);
        return { ...NOT_STREAMED, problem: changedSince(path) };
      },
    },
    module: {
      ...module,
      load: (call) =>
        module.load({
          ...call,
          admits: ({ path, sha256: now }) => {
            const isBound = boundTo !== undefined && path.startsWith(boundTo.folder + sep);
            if (known.get(path) === now || (isBound && changed() === undefined)) return true;
            onRefused(path);
            return false;
          },
        }),
      owner: (error) => module.owner(error),
    },
  };
}

function changedSince(path: string): string {
  return `${path} has changed since it was approved`;
}

function notRun(message: string): ProcessReport {
  return { ...NOT_RUN, startError: { code: "EACCES", message } };
}

/** A process that was to be kept and was not started. */
export function notOpened(message: string): OpenProcess {
  const ended = Promise.resolve(notRun(message));
  return { ended, write: async () => false, end: () => ended };
}

/** An exchange that was not begun. */
export const NOT_STREAMED = { status: "refused" } as const;

/** The report of a hook behind a URL that was not asked. */
export const NOT_ASKED = {
  status: "refused",
  isOurs: true,
  body: "",
  bodyValid: true,
  queueMs: 0,
  runMs: 0,
} as const;

/** The report of a process that was not started. */
export const NOT_RUN = {
  status: "not-started",
  stdout: "",
  stdoutValid: true,
  stderr: "",
  survivors: [],
  queueMs: 0,
  runMs: 0,
} as const;
