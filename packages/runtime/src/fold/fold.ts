/**
 * A rule that makes one outcome of the answers of several handlers.
 *
 * Laws: `step` is never called with an absent answer; once `settled` returns true, further steps change nothing;
 * `result` is pure and may be called at any time. Steps are made in registration order.
 */
export interface Fold<A = unknown, O = unknown> {
  /** The fold's name with its arguments, as the reference and the trace show it. */
  readonly name: string;
  readonly empty: unknown;
  step(state: unknown, answer: A): unknown;
  settled(state: unknown): boolean;
  result(state: unknown): O | undefined;
}

/** A `settled` for folds in which every answer may still count. */
export const never = (): boolean => false;

/** A `result` for folds whose state is their result. */
export const itself = (state: unknown): never => state as never;
