import type { Mark } from "./api.ts";

/** One edit of a hook, for its difference. */
export interface ActEdit {
  /** Its place in the moment's edits. */
  readonly at: number;
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
  /** Both sides are left out, because they are this large; they are at `/edits/AT` of the moment. */
  readonly bytes?: number;
}

/** The actions of one hook at a moment. */
export interface HookAct {
  /** The moment. */
  readonly n: number;
  readonly event: string;
  readonly hook: string;
  readonly lane: string;
  /** `file:line`. */
  readonly source: string;
  /** For its colour. */
  readonly did: Mark;
  /** In words: `refused it`, `changed args`, `failed`. */
  readonly says: string;
  /** Why, in the hook's own words: its reason, its error, or what it added. */
  readonly why?: string;
  readonly edits: readonly ActEdit[];
  readonly ms?: number;
  /** It did exactly this at an earlier step of the window. */
  readonly again?: true;
}

/** One step of the story: what was said or called, with what hooks did to it. */
export interface StoryStep {
  /** The first moment of the step. */
  readonly n: number;
  readonly t: number;
  /** `moment` is one at which a hook did something that belongs to no prompt, reply or call. */
  readonly kind: "prompt" | "reply" | "call" | "moment";
  /** The event of the first moment. */
  readonly event: string;
  readonly agent?: string;
  readonly tool?: string;
  /** The prompt, the reply, the command or path of a call, or when the event fires. Foreign text. */
  readonly text: string;
  /** Only the beginning of the text is here; it has this many characters. */
  readonly of?: number;
  /** The result of a call, as the model reads it. */
  readonly result?: { readonly text: string; readonly of?: number; readonly isError: boolean };
  /** A hook kept the call from running. */
  readonly isRefused?: true;
  /** The request that a reply answers. */
  readonly request?: number;
  readonly acts: readonly HookAct[];
}

/** `story`: one window of the steps that fit, as `moments` is of moments. A step fits if one of its moments does. */
export interface Story {
  readonly v: 1;
  readonly total: number;
  readonly from: number;
  readonly partial: boolean;
  readonly items: readonly StoryStep[];
}
