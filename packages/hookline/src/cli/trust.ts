import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { type Approval, type ItemKind, type Review, TrustStore, type Verdict } from "@hookline/runtime";
import { ApprovedTexts } from "../consent/approved-texts.ts";
import { type Entry, entriesOf } from "../consent/sheet.ts";
import { trustRefusalHere } from "../consent/started-by.ts";
import { EXIT, type Io } from "../io/io.ts";
import { jsonText } from "../io/plain-json.ts";
import { plain, table } from "../io/table.ts";
import { dialectSettings } from "../settings/parts.ts";
import type { Arguments } from "../start/args.ts";
import { placeOf, runtimeOf } from "../start/place.ts";
import type { OpenedHooks } from "./open-hooks.ts";

/** One line of `trust list`. */
export interface TrustEntry {
  readonly kind: ItemKind;
  readonly path: string;
  readonly line?: number;
  readonly tier: string;
  readonly dialect: string;
  readonly hash: string;
  /** ISO 8601; null for what nobody has approved. */
  readonly approvedAt: string | null;
  readonly state: Verdict;
}

/** `hookline trust [list] [PATH]`: what of the project was approved, has changed since, or is pending. */
export async function listTrust(args: Arguments, io: Io): Promise<number> {
  const { runtime, session, place, store } = await openReview(args, io);
  try {
    const selects = selector(args.words, place.cwd);
    const approvals = store.list();
    const reviews = await session.review();
    const entries = entriesOf(reviews, approvals, new ApprovedTexts(place.hooklineHome))
      .filter(({ review }) => selects(placeOfReview(review)))
      .map(lineOf);
    if (args.flags["all"] === true) entries.push(...elsewhere(approvals, reviews).filter((one) => selects(one)));
    if (args.flags["json"] === true) io.out(jsonText({ entries }));
    else if (entries.length === 0) io.out(`There is nothing to approve in ${plain(place.cwd)}.\n`);
    else io.out(table([["state", "dialect", "path", "approved", "hash"], ...entries.map(row)]));
  } finally {
    await runtime.close();
  }
  return EXIT.fine;
}

/** `hookline trust revoke [PATH]`: takes approvals back, of the whole project without a path. */
export async function revokeTrust(args: Arguments, io: Io): Promise<number> {
  const place = await placeOf(args, io);
  // A guard of the project that is no longer approved is a guard that no longer runs.
  const refusal = trustRefusalHere(place.hooklineHome, place.cwd, io.env);
  if (refusal !== undefined) {
    io.err(`${refusal}\n`);
    return EXIT.failed;
  }
  const store = new TrustStore(place.hooklineHome);
  const selects = selector(args.words.length > 0 ? args.words : [place.cwd], place.cwd);
  const gone = store.revoke(selects);
  if (args.flags["json"] === true)
    io.out(jsonText({ revoked: gone.map(({ path, line, hash }) => ({ path, line, hash })) }));
  else if (gone.length === 0) io.out("There was no approval to take back.\n");
  else for (const approval of gone) io.out(`no longer approved: ${plain(where(approval))}\n`);
  return gone.length === 0 && args.words.length > 0 ? EXIT.failed : EXIT.fine;
}

/** What a person is asked about in a place: found, and nothing of it loaded. */
export interface OpenedReview extends Omit<OpenedHooks, "scene" | "close"> {
  readonly store: TrustStore;
}

/** Finds the hooks of a place without loading any, and tells of a trust store that cannot be used. */
export async function openReview(args: Arguments, io: Io): Promise<OpenedReview> {
  const place = await placeOf(args, io);
  const store = new TrustStore(place.hooklineHome);
  const { problem } = store;
  if (problem !== undefined)
    io.err(`error: The trust store ${plain(store.path)} is not used: ${problem.problem}. ${problem.remedy}\n`);
  const runtime = runtimeOf(place, io);
  const session = await runtime.open({
    scene: { sessionId: "review", cwd: place.cwd },
    explicit: args.extensions,
    settings: dialectSettings(place.settings),
    consent: args.flags["frozen"] === true ? place.consent : store,
    inert: true,
  });
  return { place, runtime, session, store };
}

/** A test for what the words of a command line name: files, folders, or `FILE:LINE`; everything without words. */
export function selector(
  words: readonly string[],
  cwd: string,
): (one: { readonly path: string; readonly line?: number | undefined }) => boolean {
  const wanted = words.map((word) => {
    const [, file = word, line] = /^(.*):(\d+)$/s.exec(word) ?? [];
    const path = resolve(cwd, existsSync(resolve(cwd, word)) ? word : file);
    return { path: existsSync(path) ? realpathSync(path) : path, line: path.endsWith(`:${line}`) ? undefined : line };
  });
  return ({ path, line }) =>
    wanted.length === 0 ||
    wanted.some(
      (one) =>
        (path === one.path && (one.line === undefined || Number(one.line) === line)) || path.startsWith(one.path + sep),
    );
}

/** Where a definition under review is, with links resolved. */
export function placeOfReview({ print, candidate }: Review): { path: string; line?: number | undefined } {
  return { path: print.path, line: candidate.source.line };
}

function lineOf({ review: { candidate, print }, former, verdict }: Entry): TrustEntry {
  const { source } = candidate;
  return {
    kind: candidate.kind ?? "hook",
    path: source.path,
    ...(source.line !== undefined && { line: source.line }),
    tier: source.tier,
    dialect: source.dialect ?? print.lane,
    hash: print.hash,
    approvedAt: former?.approvedAt ?? null,
    state: verdict,
  };
}

/** Approvals of other projects, and of what is gone. */
function elsewhere(approvals: readonly Approval[], reviews: readonly Review[]): TrustEntry[] {
  const here = new Set(reviews.map(({ print }) => print.path));
  return approvals
    .filter(({ path }) => !here.has(path))
    .map(({ kind = "hook", path, line, dialect, hash, approvedAt, files }) => ({
      kind,
      path,
      ...(line !== undefined && { line }),
      // What the model has registered in a session stands in no file.
      tier: files.length === 0 ? "session" : "project",
      dialect,
      hash,
      approvedAt,
      state: "approved",
    }));
}

/** `path:line`, or the path alone. */
export function where({ path, line }: { readonly path: string; readonly line?: number | undefined }): string {
  return line === undefined ? path : `${path}:${line}`;
}

function row(entry: TrustEntry): string[] {
  return [entry.state, entry.dialect, where(entry), entry.approvedAt ?? "", entry.hash.slice(0, 12)];
}
