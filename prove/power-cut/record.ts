import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Place, runAgent } from "../agent/program.ts";

/**
 * A system call of a program; paths are absolute. `tell` is what it printed. `sync` marks the end of a sync, which
 * covers what was written before it began: at the last `syncing` of its thread.
 */
export type Op =
  | { readonly kind: "create" | "unlink"; readonly path: string }
  | { readonly kind: "syncing" | "sync"; readonly path: string; readonly thread: string }
  | { readonly kind: "write"; readonly path: string; readonly bytes: Buffer; readonly handle: string }
  | { readonly kind: "open"; readonly path: string; readonly handle: string; readonly appends: boolean }
  | { readonly kind: "truncate"; readonly path: string; readonly size: number }
  | { readonly kind: "rename" | "link"; readonly path: string; readonly to: string }
  | { readonly kind: "tell"; readonly text: string };

const CALLS = [
  ...[
    "openat",
    "write",
    "writev",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
  ],
  ...["unlink", "unlinkat", "ftruncate"],
];

/** The duration of each sync, in µs: a program that does not wait for it then visibly continues. */
const SYNC_US = 20_000;

/** Runs the agent under strace and returns its operations on files of the place. */
export async function record(place: Place, args: readonly string[]): Promise<readonly Op[]> {
  const log = join(place.top, "calls.txt");
  // Makes strace print all texts in hexadecimal, so that no text looks like the end of a line.
  const wrapper = ["strace", "-f", "-y", "-qq", "-xx", "-s", "8000000", "-o", log, "-e", `trace=${CALLS.join()}`];
  wrapper.push("-e", `inject=fsync,fdatasync:delay_exit=${SYNC_US}`);
  const { code, err } = await runAgent(place, args, { wrapper });
  if (code !== 0) throw new Error(`the run to be recorded ended with ${code}: ${err.slice(0, 300)}`);
  const ops = wholeCalls(readFileSync(log, "latin1").split("\n")).flatMap((call) => opsOf(call, place.project));
  return ops.filter((op) => op.kind === "tell" || op.path.startsWith(`${place.top}/`));
}

/** A call with its result, and the thread that made it. */
interface Call {
  readonly thread: string;
  readonly text: string;
}

/**
 * Joins calls that another thread interrupted, which the log has in two lines. A sync also has an entry for its
 * beginning.
 */
function wholeCalls(lines: readonly string[]): Call[] {
  const begun = new Map<string, string>();
  return lines.flatMap((line) => {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith(" <unfinished ...>")) {
      const text = rest.slice(0, -" <unfinished ...>".length);
      begun.set(thread, text);
      const sync = /^f(?:data)?sync\((\d+<[^>]*>)/.exec(text)?.[1];
      return sync === undefined ? [] : [{ thread, text: `syncing(${sync}) = 0` }];
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    return [{ thread, text: resumed === null ? rest : `${begun.get(thread) ?? ""}${resumed[1]}` }];
  });
}

function opsOf({ thread, text: call }: Call, cwd: string): Op[] {
  const [, name, given = "", result = ""] = /^(\w+)\((.*)\) += (-?\d+\S*)/.exec(call) ?? [];
  if (name === undefined || result.startsWith("-")) return [];
  const texts = [...given.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text]) => bytesOf(text as string));
  const paths = texts.map((text) => resolve(cwd, text.toString()));
  const [, handle = "", shown = ""] = /^(\d+)<([^>]*)>/.exec(given) ?? [];
  const at = bytesOf(shown).toString();
  const [path = "", to = ""] = paths;
  switch (name) {
    case "openat": {
      if (!/O_WRONLY|O_RDWR/.test(given)) return [];
      const opened: Op = {
        kind: "open",
        path,
        handle: result.slice(0, result.indexOf("<")),
        appends: /O_APPEND/.test(given),
      };
      const made: Op[] = /O_CREAT/.test(given) ? [{ kind: "create", path }] : [];
      return [...made, ...(/O_TRUNC/.test(given) ? [{ kind: "truncate", path, size: 0 } as const] : []), opened];
    }
    case "write":
      if (handle === "1") return [{ kind: "tell", text: (texts[0] ?? Buffer.of()).toString() }];
      return [{ kind: "write", path: at, handle, bytes: (texts[0] ?? Buffer.of()).subarray(0, Number(result)) }];
    case "writev":
    case "pwrite64":
      return at.startsWith("/") ? [{ kind: "write", path: at, handle, bytes: Buffer.concat(texts) }] : [];
    case "fsync":
    case "fdatasync":
      return [{ kind: "sync", path: at, thread }];
    case "syncing":
      return [{ kind: "syncing", path: at, thread }];
    case "ftruncate":
      return [{ kind: "truncate", path: at, size: Number(/, (\d+)$/.exec(given)?.[1]) }];
    case "unlink":
    case "unlinkat":
      return [{ kind: "unlink", path }];
    case "link":
    case "linkat":
      return [{ kind: "link", path, to }];
    default:
      return [{ kind: "rename", path, to }];
  }
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.replaceAll("\\x", ""), "hex");
}
