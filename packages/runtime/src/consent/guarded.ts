import { sep } from "node:path";
import type { Transports } from "../dialect/dialect.ts";
import type { OpenProcess, ProcessReport } from "../port/process.ts";
import type { Judgement } from "./consent.ts";
import { difference, type Fingerprint } from "./fingerprint.ts";

/** An approved definition, with a function that looks at it again. */
export interface Agreed extends Pick<Judgement, "files" | "bound" | "open" | "modules"> {
  /** Files that were read at load and are not run, such as the file that defines the hook. */
  readonly read: ReadonlySet<string>;
  /** The folder for compiled Python modules, so that no compiled file in the project is run. */
  readonly compiledTo: string;
  /** Computes the fingerprint of the definition as it is now. */
  look(): Fingerprint;
  /** Called with the path of a file that differs from the approved one and is therefore not run. */
  onRefused(path: string): void;
}

/**
 * Returns transports that run only what was approved: everything that the consent covers is checked before every start
 * and after every end (guarantees R53). Exactly the checked bytes of a module are run. If something changed, a process
 * is not started, or its answer does not count. That is an engine failure, so a guard then refuses.
 */
export function guardTransports(transports: Transports, agreed: Agreed): Transports {
  const { files = [], bound = [], open = [], modules = [], read, compiledTo, look, onRefused } = agreed;
  const known = new Map(files.map((file) => [file.path, file.sha256]));
  const changed = (): string | undefined =>
    difference(look(), { files, bound, open, modules }, (path) => read.has(path));
  const { process, module, http } = transports;
  const env = { PYTHONPYCACHEPREFIX: compiledTo };
  const refusal = (when = "after it was approved"): string | undefined => {
    const path = changed();
    if (path !== undefined) onRefused(path);
    return path === undefined ? undefined : `${path} changed ${when}`;
  };
  return {
    ...transports,
    process: {
      close: () => process.close(),
      run: async (call) => {
        const problem = refusal();
        if (problem !== undefined) return notRun(problem);
        const report = await process.run({ ...call, env: { ...env, ...call.env } });
        const during = refusal("while the hook ran, so its answer does not count");
        return during === undefined ? report : notRun(during);
      },
      open: async (call) => {
        const problem = refusal();
        return problem === undefined ? process.open({ ...call, env: { ...env, ...call.env } }) : notOpened(problem);
      },
    },
    http: {
      close: () => http.close(),
      ask: async (call) => {
        const problem = refusal();
        return problem === undefined ? http.ask(call) : { ...NOT_ASKED, problem };
      },
      open: async (call) => {
        const problem = refusal();
        return problem === undefined ? http.open(call) : { ...NOT_STREAMED, problem };
      },
    },
    module: {
      ...module,
      load: (call) =>
        module.load({
          ...call,
          admits: ({ path, sha256: now }) => {
            const isBound = bound.some((one) => one.sha256 !== undefined && path.startsWith(one.path + sep));
            if (known.get(path) === now || (isBound && changed() === undefined)) return true;
            onRefused(path);
            return false;
          },
        }),
      owner: (error) => module.owner(error),
    },
  };
}

function notRun(message: string): ProcessReport {
  return { ...NOT_RUN, startError: { code: "EACCES", message } };
}

/** Returns the `OpenProcess` of a program that was kept from starting; `message` says why. */
export function notOpened(message: string): OpenProcess {
  const ended = Promise.resolve(notRun(message));
  return { ended, write: async () => false, end: () => ended };
}

/** The result of a streamed request that was not sent. */
export const NOT_STREAMED = { status: "refused" } as const;

/** The report of a hook behind a URL to which no request was sent. */
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
