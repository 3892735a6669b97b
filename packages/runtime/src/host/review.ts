import { type Consent, type Judgement, needsConsent, type Verdict } from "../config/consent.ts";
import { type Fingerprint, fingerprints, printOf, sha256 } from "../config/fingerprint.ts";
import { NOT_RUN } from "../config/guarded.ts";
import type { Candidate, Dialect, Transports } from "../dialect/dialect.ts";
import { messageOf } from "../error/error.ts";
import { Instance } from "../hook/instance.ts";
import type { Files } from "../port/files.ts";
import type { LoadedFile } from "../port/module.ts";
import { type FoundCandidate, type LoadParts, surroundings } from "./load.ts";

/** A project's definition as a person is asked about it: everything that would run, and nothing of it has. */
export interface Review {
  readonly candidate: Candidate;
  readonly verdict: Verdict;
  /** What is agreed to by approving it: exactly the bytes in `texts`. */
  readonly print: Fingerprint;
  /** The bytes of each file, by its path. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  /** Why its files could not all be read, such as a syntax error. */
  readonly problem?: string;
}

/** Reads what of a project needs consent, module graphs included. Runs, imports and asks nothing of it. */
export async function reviewHooks(found: readonly FoundCandidate[], parts: LoadParts): Promise<readonly Review[]> {
  const reviews: Review[] = [];
  for (const { dialect, candidate } of found) {
    if (candidate.state === "runs" && needsConsent(candidate)) reviews.push(await review(dialect, candidate, parts));
  }
  return reviews;
}

async function review(dialect: Dialect, candidate: Candidate, parts: LoadParts): Promise<Review> {
  const graph = await readGraph(dialect, candidate, parts);
  const loaded = graph.files.map(({ path }) => path);
  const { consent, scan } = parts;
  const read = reviewFiles(candidate, { consent, files: scan.files, cwd: scan.cwd }, loaded);
  return { ...read, ...(graph.problem !== undefined && { problem: graph.problem }) };
}

/** Reads a definition that is its text and its files alone, with `more` files beyond those that it names. */
export function reviewFiles(
  candidate: Candidate,
  { consent, files, cwd }: { readonly consent: Consent; readonly files: Files; readonly cwd: string },
  more: readonly string[] = [],
): Review {
  const named = fingerprints(files, cwd)(candidate, more);
  const bytes = new Map<string, Uint8Array>();
  for (const { path } of named.files) bytes.set(path, files.read(path) ?? new Uint8Array());
  // What is shown is what is agreed to, whatever the disk holds by then.
  const shown = [...bytes].map(([path, content]) => ({ path, sha256: sha256(content) }));
  const print = printOf(named.path, candidate, shown);
  const verdict = verdictOf(consent.allows(candidate, (others) => fingerprints(files, cwd)(candidate, others)));
  return { candidate, verdict, print, bytes };
}

function verdictOf(allowed: boolean | Judgement): Verdict {
  if (typeof allowed === "boolean") return allowed ? "approved" : "pending";
  return allowed.verdict;
}

interface Graph {
  readonly files: readonly LoadedFile[];
  readonly problem?: string;
}

/** Has the dialect load the candidate with transports that only read, so that it says itself what it would load and how. */
async function readGraph(dialect: Dialect, candidate: Candidate, parts: LoadParts): Promise<Graph> {
  const files: LoadedFile[] = [];
  let problem: string | undefined;
  const { transports } = parts;
  const reading: Transports = {
    process: {
      close: async () => {},
      run: async () => ({ ...NOT_RUN, startError: { code: "EACCES", message: READ } }),
    },
    llm: { complete: async () => ({ ok: false, cause: "failed", message: READ }) },
    module: {
      owner: () => undefined,
      load: async (call) => {
        const read = await transports.module.read?.(call);
        if (read?.ok) files.push(...read.files);
        else problem ??= read?.message;
        return { ok: false, phase: "read", message: READ, file: call.path, cause: undefined };
      },
    },
  };
  const register = { add: () => {}, remove: () => {}, report: () => {} };
  const instance = new Instance(candidate.lane, candidate.source, register);
  try {
    await dialect.load(candidate, instance, surroundings({ ...parts, transports: reading }));
  } catch (thrown) {
    // A dialect's loader fails here as it must; only what it says beyond that is worth telling.
    const message = messageOf(thrown);
    if (!message.includes(READ)) problem ??= message;
  } finally {
    instance.dispose();
  }
  return { files, ...(problem !== undefined && { problem }) };
}

const READ = "it is only being read";
