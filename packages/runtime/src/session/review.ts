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

/** A project's definition as it is shown for approval: everything that would run. Nothing has run yet. */
export interface Review {
  readonly candidate: Candidate;
  readonly verdict: ConsentState;
  /** The files and folders that a person has added to the approval with `--bind`. */
  readonly bound: readonly Bound[];
  /** The fingerprint that an approval covers: exactly the bytes in `bytes`. */
  readonly print: Fingerprint;
  /** The bytes of each file, by path. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  /** The files whose text must never be shown or kept. */
  readonly secret: ReadonlySet<string>;
  /** Code in the definition or its files that does not show what it runs, so that the approval cannot cover that. */
  readonly open: readonly OpenPiece[];
  /** The files that the definition only reads. */
  readonly data: readonly DataFile[];
  /** The dependency folders that the definition uses, with the lock files that represent their content. */
  readonly represented: readonly Represented[];
  /** The folder to suggest for `--bind`: the project's smallest one that contains everything the definition names. */
  readonly bindable: string;
  /**
   * Returns the fingerprint with further files and folders of the project: if anything in them changes, the approval
   * ends. Its field `refused` says why one of them cannot be used.
   */
  bind(paths: readonly string[]): Fingerprint;
  /** The reason why some of the definition's files could not be read, such as a syntax error. */
  readonly problem?: string;
}

/** Reads everything in a project that needs consent, including module graphs. Runs and imports none of it. */
export async function reviewHooks(found: readonly FoundCandidate[], parts: LoadParts): Promise<readonly Review[]> {
  const reviews: Review[] = [];
  await loadParser();
  // Each file is read once, so that exactly the bytes that are shown are approved, even if the file changes meanwhile.
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

/** The files, folders and consent that a review needs. */
interface ReviewPlace extends ProjectFolders {
  readonly files: SteadyFiles;
  readonly consent: Consent;
  readonly prints: Fingerprints;
}

/** Reads a definition that loads no modules. */
export async function reviewFiles(
  candidate: Candidate,
  at: ProjectFolders & { readonly consent: Consent },
): Promise<Review> {
  await loadParser();
  const place = { ...at, files: steady(at.files) };
  return reviewed(candidate, { ...place, prints: new Fingerprints(place) }, []);
}

/** Reads a definition; `loaded` is the files that it loads as modules. */
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

/** The module files that a candidate would load, and why some could not be read. */
export interface Graph {
  readonly files: readonly LoadedFile[];
  readonly problem?: string;
}

/** Lets the dialect load the candidate with transports that only read, to find out which modules it would load. */
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
      // Modules that were loaded earlier still run, so their errors must still be attributed to them.
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
    // A load that stops because nothing is run fails with `READ`; only another error is worth reporting.
    const message = messageOf(thrown);
    if (!message.includes(READ)) problem ??= message;
  } finally {
    instance.dispose();
  }
  return { files, ...(problem !== undefined && { problem }) };
}

const READ = "it is only being read";
