import { messageOf } from "@hookline/ground";
import { loadParser } from "../command/parser.ts";
import type { DataFile, OpenPiece } from "../consent/answers.ts";
import { type Consent, type ConsentState, type Judgement, type LookAt, needsConsent } from "../consent/consent.ts";
import type { Represented } from "../consent/dependencies.ts";
import { type Bound, type Fingerprint, Fingerprints } from "../consent/fingerprint.ts";
import { NOT_ASKED, NOT_RUN, NOT_STREAMED, notOpened } from "../consent/guarded.ts";
import { isSecret } from "../consent/secret.ts";
import { type SteadyFiles, steady } from "../consent/steady.ts";
import type { Candidate, Dialect, Transports } from "../dialect/dialect.ts";
import { commonFolder, type ProjectFolders, projectRoot } from "../dialect/project.ts";
import { Instance } from "../hook/instance.ts";
import type { LoadedFile } from "../port/module.ts";
import type { FoundCandidate } from "./load.ts";
import { type LoadParts, surroundings } from "./loader.ts";

/** A project's definition as shown for approval: everything that would run; nothing has run yet. */
export interface Review {
  readonly candidate: Candidate;
  readonly verdict: ConsentState;
  /** The files and folders to which the approval is bound. */
  readonly bound: readonly Bound[];
  /** The fingerprint that an approval covers: exactly the bytes in `bytes`. */
  readonly print: Fingerprint;
  /** The bytes of each file, by its path. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  /** Files whose text is never shown and never kept. */
  readonly secret: ReadonlySet<string>;
  /** Pieces that an approval does not cover: they compute what they start, or run configuration. */
  readonly open: readonly OpenPiece[];
  /** Files that it only reads. */
  readonly data: readonly DataFile[];
  /** Dependency folders that it uses, and the lock files that represent their content. */
  readonly represented: readonly Represented[];
  /** The folder to offer for binding: the smallest one in the project that contains everything it names. */
  readonly bindable: string;
  /**
   * The same definition bound to files and folders of the project: it stays approved as long as nothing of them changes.
   * `refused` says why they cannot be used.
   */
  bind(paths: readonly string[]): Fingerprint;
  /** Why its files could not all be read, such as a syntax error. */
  readonly problem?: string;
}

/** Reads everything in a project that needs consent, including module graphs. Runs, imports and queries none of it. */
export async function reviewHooks(found: readonly FoundCandidate[], parts: LoadParts): Promise<readonly Review[]> {
  const reviews: Review[] = [];
  await loadParser();
  // Each file is read once, so that what is shown is what is approved, whatever is on the disk by then.
  const files = steady(parts.scan.files);
  const at = { ...parts.scan, files, consent: parts.consent, prints: new Fingerprints({ ...parts.scan, files }) };
  for (const { dialect, candidate } of found) {
    if (candidate.state !== "runs" || !needsConsent(candidate)) continue;
    reviews.push(await review(dialect, candidate, parts, at));
  }
  return reviews;
}

async function review(dialect: Dialect, candidate: Candidate, parts: LoadParts, at: ReviewPlace): Promise<Review> {
  const graph = await readGraph(dialect, candidate, parts);
  const read = reviewed(
    candidate,
    at,
    graph.files.map(({ path }) => path),
  );
  return { ...read, ...(graph.problem !== undefined && { problem: graph.problem }) };
}

/** The folders, files and consent with which definitions are reviewed. */
interface ReviewPlace extends ProjectFolders {
  readonly files: SteadyFiles;
  readonly consent: Consent;
  readonly prints: Fingerprints;
}

/** Reads a definition that loads nothing as a module. */
export async function reviewFiles(
  candidate: Candidate,
  at: ProjectFolders & { readonly consent: Consent },
): Promise<Review> {
  await loadParser();
  const place = { ...at, files: steady(at.files) };
  return reviewed(candidate, { ...place, prints: new Fingerprints(place) }, []);
}

/** Reads a definition, and `loaded` files that it loads as modules. */
function reviewed(candidate: Candidate, place: ReviewPlace, loaded: readonly string[]): Review {
  const { files, prints } = place;
  const coverage = prints.coverage(candidate, { loaded });
  const path = files.real(candidate.source.path) ?? candidate.source.path;
  const root = projectRoot(place);
  const look: LookAt = (more) => prints.of(candidate, more);
  const { verdict, bound = [] } = judgementOf(place.consent.allows(candidate, look));
  const beside = [...coverage.files.keys()].filter((one) => one !== path);
  const shown = new Map([...coverage.files].map(([one, bytes]) => [one, bytes ?? new Uint8Array()]));
  return {
    candidate,
    verdict,
    bound,
    print: prints.of(candidate, { loaded }),
    bytes: shown,
    secret: new Set([...shown.keys()].filter((one) => isSecret(one, root, files))),
    open: coverage.open,
    data: coverage.data,
    represented: coverage.represented,
    bindable: commonFolder(beside, root),
    bind: (paths) => prints.of(candidate, { loaded, bound: paths }),
  };
}

function judgementOf(allowed: boolean | Judgement): Judgement {
  return typeof allowed === "boolean" ? { verdict: allowed ? "approved" : "pending" } : allowed;
}

/** The files that would be loaded for a candidate, and why some could not be read. */
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
