import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type {
  ApprovalAnswer,
  ApprovalLine,
  ApprovalQuestion,
  ApprovalTaken,
} from "../../../hookline/src/inspect/api.ts";
import { type Asked, watchApprovals } from "../data/approvals.ts";
import { follow, send, sources } from "./page.ts";

const known = signal<Asked | undefined>(undefined);
let isFollowed = false;

/** What the fleet asks; nothing until it was first told. */
export const asked: ReadonlySignal<Asked | undefined> = known;

/** The questions that are open, oldest first. */
export const open: ReadonlySignal<readonly ApprovalQuestion[]> = computed(() =>
  inOrder([...(known.value?.questions.values() ?? [])].filter(({ state }) => state === "open" || state === "sent")),
);

/** Questions by their age, oldest first. */
export function inOrder(questions: readonly ApprovalQuestion[]): readonly ApprovalQuestion[] {
  return questions.toSorted((a, b) => a.expires - b.expires || (a.id < b.id ? -1 : 1));
}

/** Begins to follow what the fleet asks, where this machine may answer; from then on the title has the count. */
export function followApprovals(): void {
  if (isFollowed || sources.peek()?.approvals?.state !== "here") return;
  isFollowed = true;
  const title = document.title;
  effect(() => {
    const { length } = open.value;
    document.title = length === 0 ? title : `(${length}) ${title}`;
  });
  const ended = new AbortController();
  void watchApprovals(
    (signal) => follow<ApprovalLine>("approvals/live", signal),
    ended.signal,
    (now) => {
      known.value = now;
    },
  );
}

/** Answers a question. Rejects with `Refused` where nothing was sent. */
export function answer(id: string, given: ApprovalAnswer): Promise<ApprovalTaken> {
  return send<ApprovalTaken>(`approvals/${encodeURIComponent(id)}`, given);
}
