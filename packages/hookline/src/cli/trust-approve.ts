import { writeFileSync } from "node:fs";
import { type Approval, lockPath, lockText, type Review, systemFiles, type TrustStore } from "@hookline/runtime";
import { ApprovedTexts } from "./approved-texts.ts";
import type { Arguments } from "./args.ts";
import { EXIT, type Io } from "./io.ts";
import { jsonText } from "./plain-json.ts";
import { reviewText } from "./review-text.ts";
import { plain } from "./table.ts";
import { openReview, placeOfReview, selector, where } from "./trust.ts";

/**
 * `hookline trust approve [PATH]`: shows exactly what would run and what changed since it was approved, then remembers
 * a person's yes to exactly those bytes. Refused inside a hook or tool of a running session, which is no person.
 */
export async function approveTrust(args: Arguments, io: Io): Promise<number> {
  if (io.env["HOOKLINE_RUN_ID"] !== undefined) {
    io.err(
      "Approving is for a person, and this command was started by a session's hook or tool. Run it in your own shell.\n",
    );
    return EXIT.failed;
  }
  const { runtime, session, place, store } = await openReview(args, io);
  try {
    const selects = selector(args.words, place.cwd);
    const all = await session.review();
    const named = all.filter((review) => selects(placeOfReview(review)));
    if (named.length === 0) return nothing(args, io);
    const fresh = named.filter(({ verdict }) => verdict !== "approved");
    const texts = new ApprovedTexts(place.hooklineHome);
    const json = args.flags["json"] === true;
    if (!json) for (const review of fresh) io.out(reviewText(review, store.list(), texts, place.cwd));
    if (fresh.length > 0 && !(await agreed(fresh, args, io))) {
      io.err("Nothing was approved.\n");
      return EXIT.failed;
    }
    const approvals = remember(fresh, store, texts);
    const lock = args.flags["lock"] === true ? writeLock(place.cwd, all, store) : undefined;
    if (json) io.out(jsonText({ approved: approvals.map(({ path, line, hash }) => ({ path, line, hash })), lock }));
    else {
      for (const approval of approvals) io.out(`approved: ${plain(where(approval))}\n`);
      if (approvals.length === 0) io.out("All of it was approved already.\n");
      if (lock !== undefined) io.out(`written: ${plain(lock)}\n`);
    }
  } finally {
    await runtime.close();
  }
  return EXIT.fine;
}

/** Remembers a person's yes to exactly what they were shown. */
export function remember(agreed: readonly Review[], store: TrustStore, texts: ApprovedTexts): Approval[] {
  const approvals = agreed.map((review) => approvalOf(review, new Date()));
  if (approvals.length > 0) store.approve(approvals);
  texts.keep(
    agreed.flatMap(({ print, bytes }) => print.files.map((file) => ({ ...file, bytes: bytes.get(file.path) }))),
  );
  return approvals;
}

function nothing(args: Arguments, io: Io): number {
  const [path] = args.words;
  if (path === undefined) {
    io.out("There is nothing to approve in this project.\n");
    return EXIT.fine;
  }
  io.err(`${plain(path)} defines no hook of this project; \`hookline hooks\` lists what was found.\n`);
  return EXIT.failed;
}

/** On a terminal the person is asked; elsewhere the command line is their word. */
async function agreed(fresh: readonly Review[], args: Arguments, io: Io): Promise<boolean> {
  if (!io.stdinIsTerminal || !io.stdoutIsTerminal || io.ask === undefined || args.flags["yes"] === true) return true;
  const count = fresh.length === 1 ? "this" : `these ${fresh.length}`;
  return /^y(es)?$/i.test((await io.ask(`Let ${count} run whenever hookline is used here? [y/N] `)).trim());
}

function approvalOf({ candidate, print }: Review, at: Date): Approval {
  const { source } = candidate;
  return {
    ...print,
    dialect: source.dialect ?? print.lane,
    ...(source.line !== undefined && { line: source.line }),
    approvedAt: at.toISOString(),
  };
}

/** Writes what of the project is approved now, as it is now. */
function writeLock(cwd: string, reviews: readonly Review[], store: TrustStore): string {
  const approved = store.list();
  const kept = reviews.filter(({ print }) =>
    approved.some((approval) => approval.path === print.path && approval.hash === print.hash),
  );
  const path = lockPath(cwd, systemFiles);
  writeFileSync(
    path,
    lockText(
      path,
      kept.map((review) => approvalOf(review, new Date())),
    ),
  );
  return path;
}
