/**
 * How the answers of several handlers become one outcome.
 *
 * Laws: an absent answer is never stepped; once `settled`, further steps change nothing;
 * `result` is pure and may be asked at any time. Steps come in registration order.
 */
export interface Fold<A = unknown, O = unknown> {
  /** For the reference and the trace, arguments included. */
  readonly name: string;
  readonly empty: unknown;
  step(state: unknown, answer: A): unknown;
  settled(state: unknown): boolean;
  result(state: unknown): O | undefined;
}

/** For folds in which every answer may still count. */
export const never = (): boolean => false;

/** For folds whose state is their result. */
export const itself = (state: unknown): never => state as never;
