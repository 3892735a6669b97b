import { place as where } from "@hookline/ground";
import { plain, table } from "@hookline/ground/system";
import { TrustStore } from "@hookline/runtime";
import type { Review } from "@hookline/runtime/session";
import type { Agent } from "../agent/agent.ts";
import type { BuiltinCommand } from "../agent/submit.ts";
import { reloadHooks } from "../agent/switch.ts";
import { ApprovedTexts } from "../consent/approved-texts.ts";
import { type Approving, trustRefusal } from "../consent/refusal.ts";
import { remember } from "../consent/remember.ts";
import { reviewText } from "../consent/review-text.ts";
import { placeOfReview, selector } from "../consent/selection.ts";
import { agreedTo, type Entry, isWaiting, type Sheet, sheetsOf } from "../consent/sheet.ts";
import type { Place } from "./place.ts";

const USAGE = "/trust [list | approve | revoke] [PATH]";

/** The environment, the folders and the approvals that `/trust` needs besides the agent. */
export interface TrustCommandParts extends Approving {
  readonly place: Pick<Place, "cwd" | "hooklineHome" | "consent">;
}

/**
 * Makes `/trust`: lists, approves and revokes what the project would run, and reloads the hooks afterwards. Nothing is
 * approved unless a person can be asked, because a prompt may contain somebody else's text.
 */
export function trustCommand(agent: Agent, parts: TrustCommandParts): BuiltinCommand {
  return {
    name: "trust",
    description: `the project's hooks and your approval of them: ${USAGE}`,
    async run(args) {
      const [action = "list", ...words] = args.split(/\s+/).filter(Boolean);
      const { cwd } = parts.place;
      const selects = selector(words, cwd);
      if (action === "list") return listed(agent, parts, selects);
      if (action === "approve") return approved(agent, parts, selects);
      if (action === "revoke") return revoked(agent, parts, selector(words.length > 0 ? words : [cwd], cwd));
      throw new Error(`There is no /trust ${action}. Use ${USAGE}.`);
    },
  };
}

type Selects = ReturnType<typeof selector>;

/** Finds the selected hooks, servers and other items that run only with approval, grouped by file. */
async function sheetsIn({ core }: Agent, { place }: TrustCommandParts, selects: Selects): Promise<Found> {
  const { hooklineHome } = place;
  const [store, texts] = [new TrustStore(hooklineHome), new ApprovedTexts(hooklineHome)];
  const all = await core.hooks.review();
  const sheets = sheetsOf(all, store.list(), texts)
    .map((sheet) => ({ ...sheet, entries: sheet.entries.filter(({ review }) => selects(placeOfReview(review))) }))
    .filter(({ entries }) => entries.length > 0);
  return { all, sheets, store, texts };
}

interface Found {
  readonly all: readonly Review[];
  readonly sheets: readonly Sheet[];
  readonly store: TrustStore;
  readonly texts: ApprovedTexts;
}

async function listed(agent: Agent, parts: TrustCommandParts, selects: Selects): Promise<string> {
  const { sheets } = await sheetsIn(agent, parts, selects);
  if (sheets.length === 0) return `There is nothing to approve in ${plain(parts.place.cwd)}.`;
  const rows = sheets.flatMap(({ entries }) =>
    entries.map(({ review, verdict }) => [
      verdict,
      review.candidate.source.dialect ?? review.print.lane,
      where(placeOfReview(review)),
    ]),
  );
  return table([["state", "dialect", "path"], ...rows]).trimEnd();
}

async function approved(agent: Agent, parts: TrustCommandParts, selects: Selects): Promise<string> {
  const refusal = trustRefusal(parts);
  if (refusal !== undefined) throw new Error(refusal);
  const { confirm } = agent.core;
  if (confirm === undefined)
    throw new Error("Nobody can be asked here. End this run, then run `hookline trust approve` in your own shell.");
  const { all, sheets, store, texts } = await sheetsIn(agent, parts, selects);
  const waiting = sheets.map(({ entries }) => entries.filter(isWaiting)).filter((entries) => entries.length > 0);
  if (waiting.length === 0)
    return sheets.length === 0 ? "There is nothing to approve." : "All of it is approved already.";
  const signal = new AbortController().signal;
  const agreed: Entry[] = [];
  for (const entries of waiting) {
    const reviews = entries.map(({ review }) => review);
    const [first] = reviews as [Review];
    const what =
      reviews.length === 1 ? where(placeOfReview(first)) : `${reviews.length} entries of ${first.print.path}`;
    if (await confirm(`Let ${plain(what)} run?`, reviewText(entries, texts, parts.place.cwd).trimEnd(), signal))
      agreed.push(...entries);
  }
  if (agreed.length === 0) return "Nothing was approved.";
  const approvals = remember(agreedTo(agreed), all, store, texts);
  await reloadHooks(agent);
  return approvals.map((approval) => `approved: ${plain(where(approval))}`).join("\n");
}

async function revoked(agent: Agent, { place }: TrustCommandParts, selects: Selects): Promise<string> {
  const gone = new TrustStore(place.hooklineHome).revoke(selects);
  if (gone.length === 0) return "There was no approval to revoke.";
  await reloadHooks(agent);
  return gone.map((approval) => `no longer approved: ${plain(where(approval))}`).join("\n");
}
