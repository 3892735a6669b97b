/**
 * How the answers of several handlers become one outcome.
 *
 * Laws: `step` never gets an absent answer; once `settled`, further steps change nothing; `result` is pure and may be
 * called at any time. Steps come in registration order.
 */
export interface Fold<A = unknown, O = unknown> {
  /** Shown in the reference and the trace, with its arguments. */
  readonly name: string;
  readonly empty: unknown;
  step(state: unknown, answer: A): unknown;
  settled(state: unknown): boolean;
  result(state: unknown): O | undefined;
}

/** `settled` for folds in which every answer may still count. */
export const never = (): boolean => false;

/** `result` for folds whose state is their result. */
export const itself = (state: unknown): never => state as never;
