import type { TrustStore } from "@hookline/runtime";
import type { HookSession, Review } from "@hookline/runtime/session";
import type { ApprovedTexts } from "../../consent/approved-texts.ts";
import { remember } from "../../consent/remember.ts";
import { folderName, nameIn, reviewText } from "../../consent/review-text.ts";
import { placeOfReview } from "../../consent/selection.ts";
import { agreedTo, closingAll, type Entry, isWaiting, sheetsOf } from "../../consent/sheet.ts";
import type { PageLine } from "./page.ts";
import type { TrustItem, TrustSheet, TrustSource } from "./panel-source.ts";

/** The session, the store of a person's decisions, and how a decision takes effect. */
export interface TrustParts {
  readonly hooks: HookSession;
  readonly store: TrustStore;
  readonly texts: ApprovedTexts;
  readonly cwd: string;
  /** The reason why approvals have no effect in this run; undefined if they have one. */
  readonly refusal: string | undefined;
  /** Reloads the hooks, so that approved ones run and revoked ones do not. */
  reload(): Promise<void>;
}

/** Finds the project's definitions that need a person's decision; reads them from the disk each time. */
export function trustSource(parts: TrustParts): TrustSource {
  let all: readonly Review[] = [];
  const entryOf = new WeakMap<TrustItem, Entry>();
  const itemFor = (entry: Entry): TrustItem => {
    const item = itemOf([entry], all, parts);
    entryOf.set(item, entry);
    return item;
  };
  const sheetFor = (items: readonly TrustItem[]): TrustSheet => {
    const entries = items.map((item) => entryOf.get(item)).filter((entry) => entry !== undefined);
    return { ...itemOf(entries, all, parts), items };
  };
  return {
    async sheets() {
      all = await parts.hooks.review();
      return sheetsOf(all, parts.store.list(), parts.texts).map(({ entries }) => sheetFor(entries.map(itemFor)));
    },
    together: (sheets) => sheetFor(sheets.flatMap(({ items }) => items)),
  };
}

/** Combines definitions into one item to review: approving it approves the pending ones, revoking it revokes all. */
function itemOf(entries: readonly Entry[], all: readonly Review[], parts: TrustParts): TrustItem {
  const { store, texts, cwd, refusal, reload } = parts;
  const waiting = entries.filter(isWaiting);
  const [first] = entries as [Entry];
  const { candidate, print } = first.review;
  const bound = closingAll(waiting).map((path) => folderName(nameIn(cwd, path)));
  const changed = async (change: () => void): Promise<void> => {
    if (refusal !== undefined) throw new Error(refusal);
    change();
    await reload();
  };
  return {
    ...(entries.length === 1 && placeOfReview(first.review)),
    path: candidate.source.path,
    kind: candidate.kind ?? "hook",
    dialect: candidate.source.dialect ?? print.lane,
    verdict: waiting.find(({ verdict }) => verdict === "pending")?.verdict ?? waiting[0]?.verdict ?? "approved",
    text: () => pageLines(reviewText(waiting.length > 0 ? waiting : entries, texts, cwd)),
    bindable: bound.length === 0 ? undefined : bound.join(", "),
    approve: (isBound = false) => changed(() => void remember(agreedTo(waiting, isBound), all, store, texts)),
    revoke: () =>
      changed(() => {
        const prints = entries.map(({ review }) => review.print);
        store.revoke((one) =>
          prints.some(
            ({ path, lane, definition }) => one.path === path && one.lane === lane && one.definition === definition,
          ),
        );
      }),
  };
}

/** Colours the review's text like a diff, and makes tab characters visible. */
function pageLines(text: string): PageLine[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line): PageLine => {
      const shown = line.replaceAll("\t", "⇥   ");
      if (shown.startsWith("=== ")) return { text: shown.slice(4), isBold: true };
      if (shown.startsWith("--- ")) return { text: shown, colour: "accent" };
      if (shown.startsWith("+ ")) return { text: shown, colour: "toolDiffAdded", hang: 2 };
      if (shown.startsWith("- ")) return { text: shown, colour: "toolDiffRemoved", hang: 2 };
      return shown.startsWith("  ") ? { text: shown, hang: 2 } : { text: shown, colour: "muted" };
    });
}
