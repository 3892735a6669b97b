import { place as where } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain, table } from "@hookline/ground/system";
import { TrustStore } from "@hookline/runtime";
import type { ItemKind } from "@hookline/runtime/engine";
import type { Approval, ConsentState, Review } from "@hookline/runtime/session";
import { ApprovedTexts } from "../consent/approved-texts.ts";
import { trustRefusalHere } from "../consent/refusal.ts";
import { placeOfReview, selector } from "../consent/selection.ts";
import { type Entry, entriesOf } from "../consent/sheet.ts";
import type { Arguments } from "../start/args.ts";
import { placeOf } from "../start/place.ts";
import { openReview } from "../start/review.ts";

/** One line of `trust list`. */
export interface TrustEntry {
  readonly kind: ItemKind;
  readonly path: string;
  readonly line?: number;
  readonly pointer?: string;
  readonly tier: string;
  readonly dialect: string;
  readonly hash: string;
  /** When the item was approved, in ISO 8601; null if nobody has approved it. */
  readonly approvedAt: string | null;
  readonly state: ConsentState;
}

/** `hookline trust [list] [PATH]`: lists what in the project is approved, has changed since, or is pending. */
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

/** `hookline trust revoke [PATH]`: revokes approvals; without a path, those of the whole project. */
export async function revokeTrust(args: Arguments, io: Io): Promise<number> {
  const place = await placeOf(args, io);
  // Only a person may revoke, because a guard of the project does not run without its approval.
  const refusal = trustRefusalHere(place.hooklineHome, place.cwd, io.env);
  if (refusal !== undefined) {
    io.err(`${refusal}\n`);
    return EXIT.failed;
  }
  const store = new TrustStore(place.hooklineHome);
  const selects = selector(args.words.length > 0 ? args.words : [place.cwd], place.cwd);
  const gone = store.revoke(selects);
  if (args.flags["json"] === true)
    io.out(jsonText({ revoked: gone.map(({ path, line, pointer, hash }) => ({ path, line, pointer, hash })) }));
  else if (gone.length === 0) io.out("There was no approval to revoke.\n");
  else for (const approval of gone) io.out(`no longer approved: ${plain(where(approval))}\n`);
  return gone.length === 0 && args.words.length > 0 ? EXIT.failed : EXIT.fine;
}

function lineOf({ review: { candidate, print }, former, verdict }: Entry): TrustEntry {
  const { source } = candidate;
  return {
    kind: candidate.kind ?? "hook",
    path: source.path,
    ...(source.line !== undefined && { line: source.line }),
    ...(source.pointer !== undefined && { pointer: source.pointer }),
    tier: source.tier,
    dialect: source.dialect ?? print.lane,
    hash: print.hash,
    approvedAt: former?.approvedAt ?? null,
    state: verdict,
  };
}

/** Lists approvals of other projects, and of files that are gone. */
function elsewhere(approvals: readonly Approval[], reviews: readonly Review[]): TrustEntry[] {
  const here = new Set(reviews.map(({ print }) => print.path));
  return approvals
    .filter(({ path }) => !here.has(path))
    .map(({ kind = "hook", path, line, pointer, dialect, hash, approvedAt, files }) => ({
      kind,
      path,
      ...(line !== undefined && { line }),
      ...(pointer !== undefined && { pointer }),
      // A hook that the model has registered in a session is in no file.
      tier: files.length === 0 ? "session" : "project",
      dialect,
      hash,
      approvedAt,
      state: "approved",
    }));
}

function row(entry: TrustEntry): string[] {
  return [entry.state, entry.dialect, where(entry), entry.approvedAt ?? "", entry.hash.slice(0, 12)];
}
