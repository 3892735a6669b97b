import type { Mark } from "./api.ts";

/** One edit of a hook, with the old and the new value for a comparison. */
export interface ActEdit {
  /** The index of the edit in the moment's edits. */
  readonly at: number;
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
  /**
   * The size of both values in bytes. Present if the values are left out because they are too large. Request them with
   * `moments/N?full=/edits/AT`.
   */
  readonly bytes?: number;
}

/** The actions of one hook at a moment. */
export interface HookAct {
  /** The number of the moment. */
  readonly n: number;
  readonly event: string;
  readonly hook: string;
  readonly lane: string;
  /** The hook's `file:line`. */
  readonly source: string;
  /** The result, from which the page chooses a colour. */
  readonly did: Mark;
  /** The action in words: `refused it`, `changed args`, `failed`. */
  readonly says: string;
  /** The hook's own words: its reason, its error, or what it added. */
  readonly why?: string;
  /** The length of the whole `why` in characters; only its beginning is here. */
  readonly of?: number;
  readonly edits: readonly ActEdit[];
  readonly ms?: number;
  /** Present if the hook's previous action on this event in the same answer was the same; `edits` is then empty. */
  readonly again?: true;
}

/** One step of the story: a prompt, a reply or a call, with what hooks did to it. */
export interface StoryStep {
  /** The first moment of the step. */
  readonly n: number;
  readonly t: number;
  /** `moment` is a moment at which a hook did something that belongs to no prompt, reply or call. */
  readonly kind: "prompt" | "reply" | "call" | "moment";
  /** The event of the step's first moment, such as `tool.before`. */
  readonly event: string;
  readonly agent?: string;
  readonly tool?: string;
  /** The prompt, reply, or command or path of the call; for a `moment`, a description of its event. Foreign text. */
  readonly text: string;
  /** The length of the whole text in characters; only its beginning is here. */
  readonly of?: number;
  /** The result of a call, as the model reads it. */
  readonly result?: { readonly text: string; readonly of?: number; readonly isError: boolean };
  /** Whether a hook, or a person whom it asked, kept the call from running. */
  readonly isRefused?: true;
  /** The moment of the request that a reply answers. */
  readonly request?: number;
  readonly acts: readonly HookAct[];
}

/** The answer to `story`: the requested part of the steps that match. A step matches if one of its moments does. */
export interface Story {
  readonly v: 1;
  readonly total: number;
  readonly from: number;
  readonly partial: boolean;
  readonly items: readonly StoryStep[];
}
