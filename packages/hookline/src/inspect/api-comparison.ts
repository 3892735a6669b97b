import type { EditMade, HookAsked } from "./api.ts";

/** What one side came to at a moment. */
export interface ComparedSide {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason?: string;
  /** Fields that are handed on, where hooks have set them. */
  readonly handed?: Readonly<Record<string, unknown>>;
  readonly hooks: readonly HookAsked[];
  readonly edits: readonly EditMade[];
  readonly ms: number;
  /** What a person said. */
  readonly person?: string;
  /** Of long values only the beginning is here. */
  readonly cut?: true;
}

/** One moment at which two sides differ. */
export interface Difference {
  /** The moment on each side; absent where that side has none, or where the side is no source of this list. */
  readonly left?: number;
  readonly right?: number;
  readonly event: string;
  readonly tool?: string;
  /** The call in short: `bash rm -rf build`. Foreign text. */
  readonly label: string;
  /** What differs. Of a replay's result the first is its class, such as `newlyDenied`. */
  readonly differs: readonly string[];
  readonly before?: ComparedSide;
  readonly after?: ComparedSide;
}

/** `compare`: only what differs, in the order of the left side. */
export interface Comparison {
  readonly v: 1;
  readonly left: { readonly title: string; readonly moments: number };
  readonly right: { readonly title: string; readonly moments: number };
  readonly same: number;
  readonly total: number;
  readonly from: number;
  /** How moments were matched, in words. */
  readonly how: string;
  /** By kind of difference. */
  readonly counts: Readonly<Record<string, number>>;
  readonly items: readonly Difference[];
}
