import { messageOf } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain, systemFiles } from "@hookline/ground/system";
import { packages } from "@hookline/integrations";
import { type Consent, TrustStore } from "@hookline/runtime";
import { type Review, reviewFiles } from "@hookline/runtime/session";
import { ApprovedTexts } from "../consent/approved-texts.ts";
import { trustRefusalHere } from "../consent/refusal.ts";
import { remember } from "../consent/remember.ts";
import { reviewText } from "../consent/review-text.ts";
import { entriesOf } from "../consent/sheet.ts";
import { candidateOf } from "../item/dialect.ts";
import { packageListItem } from "../item/kinds.ts";
import { type FetchedPackage, fetchPackage } from "../package/fetch.ts";
import type { Arguments } from "../start/args.ts";
import { type Place, placeOf } from "../start/place.ts";
import { yesAsker } from "./ask-yes.ts";

/**
 * `hookline packages fetch [SOURCE…]`: fetches these packages, or all that hookline's and pi's settings name. Packages
 * in a project's settings are fetched only after a person has approved exactly that list.
 */
export async function fetchPackages(args: Arguments, io: Io): Promise<number> {
  const place = await placeOf(args, io);
  const fetched: FetchedPackage[] = [];
  const failed: { readonly source: string; readonly problem: string }[] = [];
  const json = args.flags["json"] === true;
  const fail = (source: string, problem: string): void => {
    failed.push({ source, problem });
    if (!json) io.err(`${plain(source)} could not be fetched: ${plain(problem)}\n`);
  };
  const { hooklineHome } = place;
  const named =
    args.words.length > 0
      ? args.words.map((source) => ({ source, store: storeOf(source, place, io) ?? hooklineHome }))
      : await agreedPackages(place, args, io, fail);
  for (const { source, store } of named) {
    try {
      const found = await fetchPackage(source, { ...place, env: io.env, store });
      fetched.push(found);
      if (!json) io.out(`${plain(source)}  ${plain(found.version)}  ${plain(found.root)}\n`);
    } catch (thrown) {
      fail(source, messageOf(thrown));
    }
  }
  if (json) io.out(jsonText({ fetched, failed }));
  else if (named.length === 0 && failed.length === 0)
    io.out("No package is named: neither on the command line, nor in your settings, this project's or pi's.\n");
  return failed.length > 0 ? EXIT.failed : EXIT.fine;
}

/** Finds the package list that contains a source; returns the folder for that list's packages. */
function storeOf(source: string, place: Place, io: Io): string | undefined {
  const lists = packages.packageLists({ ...place, env: io.env, files: systemFiles });
  return lists.find(({ sources }) => sources.includes(source))?.store;
}

/** A package source, such as `npm:NAME@1.0.0`, and the folder whose subfolder `packages` it is fetched into. */
interface Wanted {
  readonly source: string;
  readonly store: string;
}

/**
 * Returns the packages in the user's settings, and those in the project's settings if a person has approved them or
 * does so now.
 */
async function agreedPackages(
  place: Place,
  args: Arguments,
  io: Io,
  refuse: (source: string, problem: string) => void,
): Promise<Wanted[]> {
  const { cwd, hooklineHome, consent } = place;
  const refusal = trustRefusalHere(hooklineHome, cwd, io.env);
  const agreed: Wanted[] = [];
  const named = packages.packageLists({ ...place, env: io.env, files: systemFiles });
  for (const list of named.filter(({ sources }) => sources.length > 0)) {
    const review = list.tier === "user" ? undefined : await reviewList(list, cwd, consent);
    const isAgreed =
      review === undefined ||
      review.verdict === "approved" ||
      (refusal === undefined && (await approves(review, place, args, io)));
    const remedy =
      refusal ?? "Run `hookline packages fetch` on a terminal and agree, or name the packages that you want";
    for (const source of list.sources) {
      const isNew = !agreed.some((one) => one.source === source && one.store === list.store);
      if (isAgreed && isNew) agreed.push({ source, store: list.store });
      else if (isNew) refuse(source, `${list.path} names it, and nobody has approved that list. ${remedy}`);
    }
  }
  return agreed;
}

/** Asks the person about a list and remembers the approval; without a terminal, `--yes` counts as the approval. */
async function approves(
  review: Review,
  { cwd, hooklineHome, consent }: Place,
  args: Arguments,
  io: Io,
): Promise<boolean> {
  if (!(consent instanceof TrustStore)) return false;
  const texts = new ApprovedTexts(hooklineHome);
  if (args.flags["yes"] !== true) {
    const ask = yesAsker(io);
    if (ask === undefined) return false;
    io.out(reviewText(entriesOf([review], consent.list(), texts), texts, cwd));
    if (!(await ask("Fetch these packages?"))) return false;
  }
  remember([{ review }], [review], consent, texts);
  return true;
}

/** Returns a list of packages in the form in which a person reviews it. */
function reviewList(list: packages.PackageList, cwd: string, consent: Consent): Promise<Review> {
  return reviewFiles(candidateOf("packages", packageListItem(list)), { consent, files: systemFiles, cwd });
}
