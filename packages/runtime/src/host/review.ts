import { closureOf } from "../config/closure.ts";
import {
  type Consent,
  type Judgement,
  type LookAt,
  needsConsent,
  type OpenPiece,
  type Verdict,
} from "../config/consent.ts";
import type { Represented } from "../config/dependencies.ts";
import { type BoundFolder, bind, type Fingerprint, fingerprints, printOf, sha256 } from "../config/fingerprint.ts";
import { NOT_ASKED, NOT_RUN, NOT_STREAMED, notOpened } from "../config/guarded.ts";
import { openPieces } from "../config/open.ts";
import { steady } from "../config/steady.ts";
import type { Candidate, Dialect, Transports } from "../dialect/dialect.ts";
import { commonFolder, type Place, projectRoot } from "../dialect/project.ts";
import { messageOf } from "../error/error.ts";
import { Instance } from "../hook/instance.ts";
import type { LoadedFile } from "../port/module.ts";
import type { FoundCandidate } from "./load.ts";
import { type LoadParts, surroundings } from "./loader.ts";

/** A project's definition as shown for approval: everything that would run; nothing has run yet. */
export interface Review {
  readonly candidate: Candidate;
  readonly verdict: Verdict;
  /** The folder that it is bound to, if the approval is bound. */
  readonly boundTo?: BoundFolder;
  /** What an approval covers: exactly the bytes in `bytes`. */
  readonly print: Fingerprint;
  /** The bytes of each file, by its path. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  /** What approving it does not cover, unless it is bound to a folder: pieces that compute what they start (decision 57). */
  readonly open: readonly OpenPiece[];
  /** Dependency folders that it uses, and the lock files that represent their content. */
  readonly represented: readonly Represented[];
  /** The folder to offer for binding: the smallest one in the project that contains everything it names. */
  readonly bindable: string;
  /**
   * The same definition bound to a folder of the project: it stays approved as long as nothing in there changes.
   * `refused` says why that folder cannot be used.
   */
  bind(folder: string): Fingerprint;
  /** Why its files could not all be read, such as a syntax error. */
  readonly problem?: string;
}

/** Reads everything in a project that needs consent, including module graphs. Runs, imports and queries none of it. */
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
  // The files are read once, so that the open pieces are those of the bytes that are shown.
  const place = { ...scan, files: steady(scan.files), consent };
  const open = await openPieces(candidate, place, closureOf(candidate, place, loaded), loaded);
  const read = reviewFiles(candidate, place, loaded, open);
  return { ...read, ...(graph.problem !== undefined && { problem: graph.problem }) };
}

/** Where a definition is reviewed, and with which consent. */
export interface ReviewPlace extends Place {
  readonly consent: Consent;
}

/** Reads a definition, `more` files besides those that it names, and its known open pieces. */
export function reviewFiles(
  candidate: Candidate,
  place: ReviewPlace,
  more: readonly string[] = [],
  open: readonly OpenPiece[] = [],
): Review {
  const { files, consent } = place;
  const look: LookAt = (...at) => fingerprints(place)(candidate, ...at);
  const named = look(more);
  const bytes = new Map<string, Uint8Array>();
  for (const { path } of named.files) bytes.set(path, files.read(path) ?? new Uint8Array());
  // What is shown is what is approved, whatever is on the disk by then.
  const shown = { ...named, open, files: [...bytes].map(([path, content]) => ({ path, sha256: sha256(content) })) };
  const { verdict, boundTo } = judgementOf(consent.allows(candidate, look));
  const beside = [...bytes.keys()].filter((path) => path !== named.path);
  return {
    candidate,
    verdict,
    ...(boundTo !== undefined && { boundTo }),
    print: printOf(named.path, candidate, shown, place),
    bytes,
    open,
    represented: closureOf(candidate, place, more).represented,
    bindable: commonFolder(beside, projectRoot(place)),
    bind: (folder) => printOf(named.path, candidate, { ...shown, ...bind(place, folder) }, place),
  };
}

function judgementOf(allowed: boolean | Judgement): Judgement {
  return typeof allowed === "boolean" ? { verdict: allowed ? "approved" : "pending" } : allowed;
}

/** What would be loaded for a candidate, and why not all of it could be read. */
export interface Graph {
  readonly files: readonly LoadedFile[];
  readonly problem?: string;
}

/** Lets the dialect load the candidate with transports that only read, so that it shows what it would load and how. */
export async function readGraph(dialect: Dialect, candidate: Candidate, parts: LoadParts): Promise<Graph> {
  const files: LoadedFile[] = [];
  let problem: string | undefined;
  const { transports } = parts;
  const reading: Transports = {
    process: {
      close: async () => {},
      run: async () => ({ ...NOT_RUN, startError: { code: "EACCES", message: READ } }),
      open: async () => notOpened(READ),
    },
    http: {
      close: async () => {},
      ask: async () => ({ ...NOT_ASKED, problem: READ }),
      open: async () => ({ ...NOT_STREAMED, problem: READ }),
    },
    llm: { complete: async () => ({ ok: false, cause: "failed", message: READ }) },
    module: {
      // Other modules run meanwhile.
      owner: (error) => transports.module.owner(error),
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
    // A dialect's loader always fails here; only its other problems are worth reporting.
    const message = messageOf(thrown);
    if (!message.includes(READ)) problem ??= message;
  } finally {
    instance.dispose();
  }
  return { files, ...(problem !== undefined && { problem }) };
}

const READ = "it is only being read";
