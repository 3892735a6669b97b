import type { Transports } from "../dialect/dialect.ts";
import type { Files } from "../port/files.ts";
import { type HashedFile, sha256 } from "./fingerprint.ts";

/**
 * Transports that run nothing but what was agreed to: the bytes are looked at again at every start (guarantees R53).
 * A module's files are the very bytes that are run. A process whose files have changed is not started, which is the
 * engine's failure, so that a guard refuses. `read` are files that were read at load and are not run, such as the file
 * that defines the hook. `onRefused` is told the path of what was refused.
 */
export function guardTransports(
  transports: Transports,
  files: Files,
  approved: readonly HashedFile[],
  read: ReadonlySet<string>,
  onRefused: (path: string) => void,
): Transports {
  const known = new Map(approved.map((file) => [file.path, file.sha256]));
  const watched = approved.filter(({ path }) => !read.has(path));
  const { process, module } = transports;
  return {
    ...transports,
    process: {
      close: () => process.close(),
      run: async (call) => {
        const changed = watched.find((file) => sha256(files.read(file.path)) !== file.sha256);
        if (changed === undefined) return process.run(call);
        onRefused(changed.path);
        const message = `${changed.path} has changed since it was approved`;
        return { ...NOT_RUN, startError: { code: "EACCES", message } };
      },
    },
    module: {
      ...module,
      load: (call) =>
        module.load({
          ...call,
          admits: ({ path, sha256: now }) => {
            if (known.get(path) === now) return true;
            onRefused(path);
            return false;
          },
        }),
      owner: (error) => module.owner(error),
    },
  };
}

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
