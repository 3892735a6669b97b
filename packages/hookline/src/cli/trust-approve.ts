import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { place as where } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain, systemFiles } from "@hookline/ground/system";
import type { TrustStore } from "@hookline/runtime";
import { lockPath, lockText, type Review } from "@hookline/runtime/session";
import { ApprovedTexts } from "../consent/approved-texts.ts";
import { trustRefusalHere } from "../consent/refusal.ts";
import { approvalOf, remember } from "../consent/remember.ts";
import { folderName, nameIn, reviewText } from "../consent/review-text.ts";
import { placeOfReview, selector } from "../consent/selection.ts";
import { type Agreed, agreedTo, closingAll, type Entry, isWaiting, type Sheet, sheetsOf } from "../consent/sheet.ts";
import { itemDialects } from "../item/dialect.ts";
import type { Arguments } from "../start/args.ts";
import type { Place } from "../start/place.ts";
import { openReview } from "../start/review.ts";
import { isYes } from "./ask-yes.ts";

const NOTHING = "There is nothing to approve in this project.\n";

/**
 * `hookline trust approve [PATH]`: shows, file by file, exactly what would run and what changed since it was approved,
 * then records a person's approval of exactly those bytes. Refused inside a program that hookline has started, because
 * no person types there, and while an agent works in the project, because the agent's own screen asks then.
 */
export async function approveTrust(args: Arguments, io: Io): Promise<number> {
  const { runtime, session, place, store } = await openReview(args, io);
  try {
    const refusal = trustRefusalHere(place.hooklineHome, place.cwd, io.env);
    if (refusal !== undefined) {
      io.err(`${refusal}\n`);
      return EXIT.failed;
    }
    const selects = selector(args.words, place.cwd);
    const all = await session.review();
    const texts = new ApprovedTexts(place.hooklineHome);
    const named = sheetsOf(all, store.list(), texts).flatMap((sheet) => {
      const entries = sheet.entries.filter(({ review }) => selects(placeOfReview(review)));
      return entries.length === 0 ? [] : [{ ...sheet, entries }];
    });
    // A lock is written even if nothing is pending: it then says that the project has no hooks.
    const isLock = args.flags["lock"] === true;
    if (named.length === 0 && !(isLock && args.words.length === 0)) return nothing(args, io);
    // With `--bind`, approved items are listed too, because their approval can be made to cover more files.
    const isBinding = args.lists["bind"] !== undefined;
    const waiting = named
      .map((sheet) => ({ ...sheet, entries: sheet.entries.filter((entry) => isBinding || isWaiting(entry)) }))
      .filter(({ entries }) => entries.length > 0);
    const agreed = await agreedIn(waiting, args, io, {
      textOf: (entries, above) => reviewText(entries, texts, place.cwd, above),
      nameOf: (path) => nameIn(place.cwd, path),
      cwd: place.cwd,
    });
    if (waiting.length > 0 && agreed.length === 0) {
      io.err("Nothing was approved.\n");
      return EXIT.failed;
    }
    const approvals = remember(agreed, all, store, texts);
    const lock = isLock ? writeLock(place, all, store) : undefined;
    if (args.flags["json"] === true)
      io.out(
        jsonText({ approved: approvals.map(({ path, line, pointer, hash }) => ({ path, line, pointer, hash })), lock }),
      );
    else {
      for (const approval of approvals) io.out(`approved: ${plain(where(approval))}\n`);
      if (all.length === 0) io.out(NOTHING);
      else if (approvals.length === 0) io.out("All of it was approved already.\n");
      if (lock !== undefined) io.out(`written: ${plain(lock)}\n`);
    }
  } finally {
    await runtime.close();
  }
  return EXIT.fine;
}

function nothing(args: Arguments, io: Io): number {
  const [path] = args.words;
  if (path === undefined) {
    io.out(NOTHING);
    return EXIT.fine;
  }
  io.err(`${plain(path)} defines no hook of this project; \`hookline hooks\` lists what was found.\n`);
  return EXIT.failed;
}

/**
 * Shows what is pending, file by file, and returns what the person approves. On a terminal, the definitions in a
 * file can be approved together or one by one; elsewhere `--yes` counts as the approval.
 */
async function agreedIn(sheets: readonly Sheet[], args: Arguments, io: Io, words: Words): Promise<Agreed[]> {
  const { textOf } = words;
  const bind = args.lists["bind"]?.map((path) => resolve(words.cwd, path));
  const isJson = args.flags["json"] === true;
  const isSaid = args.flags["yes"] === true;
  const ask = !isSaid && !isJson && io.stdinIsTerminal && io.stdoutIsTerminal ? io.ask : undefined;
  const agreed: Agreed[] = [];
  const above = new Set<string>();
  const take = (entries: readonly Entry[], answer: string | undefined): void => {
    if (isYes(answer)) agreed.push(...agreedTo(entries, bind));
    else if (/^b(ind)?$/i.test(answer?.trim() ?? "")) agreed.push(...agreedTo(entries, bind ?? true));
  };
  for (const { path, entries } of sheets) {
    if (!isJson) io.out(textOf(entries, above));
    const answer = isSaid ? "yes" : await ask?.(questionOf(path, entries, words));
    take(entries, answer);
    if (entries.length === 1 || !/^o(ne)?$/i.test(answer?.trim() ?? "")) continue;
    for (const entry of entries) {
      io.out(textOf([entry]));
      take([entry], await ask?.(questionOf(path, [entry], words)));
    }
  }
  if (sheets.length > 0 && !isSaid && ask === undefined)
    io.err("There is no terminal to ask on. Add --yes to approve what is shown.\n");
  return agreed;
}

/** Functions that name and describe items for the person who approves them; `cwd` is the base of the shown paths. */
interface Words {
  /** Returns the text to review. The files in `above` were shown before, so they are only counted. */
  textOf(entries: readonly Entry[], above?: Set<string>): string;
  /** Returns a path as it is shown to the person. */
  nameOf(path: string): string;
  readonly cwd: string;
}

function questionOf(path: string, entries: readonly Entry[], { nameOf }: Words): string {
  const [one, more] = entries;
  const what =
    one === undefined || more !== undefined
      ? `these ${entries.length} entries of ${nameOf(path)}`
      : where({ ...placeOfReview(one.review), path: nameOf(path) });
  const bound = closingAll(entries);
  const answers = [
    "y/N",
    ...(more === undefined ? [] : ["o = one by one"]),
    ...(bound.length === 0
      ? []
      : [`b = yes, bound to ${bound.map((path) => plain(folderName(nameOf(path)))).join(", ")}`]),
  ];
  return `Let ${plain(what)} run whenever hookline is used here? [${answers.join("/")}] `;
}

/** Writes a lock with everything of the project that is approved, in its current state. */
function writeLock(place: Place, reviews: readonly Review[], store: TrustStore): string {
  const approvals = store.list();
  const now = new Date();
  const ofProject = reviews.filter(({ candidate }) => candidate.source.tier === "project");
  const kept = ofProject.flatMap((review) => {
    const { path, lane, definition } = review.print;
    const known = approvals.filter((one) => one.path === path && one.lane === lane && one.definition === definition);
    // Old approvals lack `rule`, which says how `hash` was computed, so their hashes cannot be compared. These are
    // written into the lock if the review says that the item is approved.
    return known.flatMap(({ hash, rule, bound = [] }) => {
      const approval = approvalOf({ review, bound: bound.map((one) => one.path) }, now);
      const isStill = rule === undefined ? review.verdict === "approved" : approval.hash === hash;
      return isStill ? [approval] : [];
    });
  });
  const path = lockPath(place.cwd, systemFiles, place.home);
  const dialects = [...place.dialects, ...itemDialects()].map(({ id }) => id);
  writeFileSync(path, lockText(path, kept, dialects));
  return path;
}
