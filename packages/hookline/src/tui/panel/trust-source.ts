import type { Session as HookSession, Review, TrustStore } from "@hookline/runtime";

import type { ApprovedTexts } from "../../cli/approved-texts.ts";
import { reviewText } from "../../cli/review-text.ts";
import { placeOfReview } from "../../cli/trust.ts";
import { remember } from "../../cli/trust-approve.ts";
import type { PageLine } from "./page.ts";
import type { TrustItem, TrustSource } from "./panel-source.ts";

/** What a person's word is kept in, and what follows from it. */
export interface TrustParts {
  readonly hooks: HookSession;
  readonly store: TrustStore;
  readonly texts: ApprovedTexts;
  readonly cwd: string;
  /** Why an approval would change nothing in this run; undefined where it does. */
  readonly refusal: string | undefined;
  /** Loads the hooks anew, so that what was approved runs and what was revoked does not. */
  reload(): Promise<void>;
}

/** What of a session's project needs a person's word, read from the disk as it is now. */
export function trustSource(parts: TrustParts): TrustSource {
  return {
    async items() {
      const reviews = await parts.hooks.review();
      return reviews.map((review) => itemOf(review, parts));
    },
  };
}

function itemOf(review: Review, parts: TrustParts): TrustItem {
  const { store, texts, cwd, refusal, reload } = parts;
  const { path, line } = placeOfReview(review);
  return {
    path: review.candidate.source.path,
    line,
    dialect: review.candidate.source.dialect ?? review.print.lane,
    verdict: review.verdict,
    text: () => pageLines(reviewText(review, store.list(), texts, cwd)),
    async approve() {
      if (refusal !== undefined) throw new Error(refusal);
      remember([review], store, texts);
      await reload();
    },
    async revoke() {
      if (refusal !== undefined) throw new Error(refusal);
      const { lane, definition } = review.print;
      store.revoke((one) => one.path === path && one.lane === lane && one.definition === definition);
      await reload();
    },
  };
}

/** The review's text in the colours of a difference. A tab has no glyph of its own, so it gets one. */
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
