import type { CatalogRow } from "../catalog/row.ts";
import type { Moment } from "./moment.ts";

interface Entry {
  readonly wrapped?: Entry;
  readonly pipe?: readonly Entry[];
  readonly title?: string;
}

/** What an event needs in the place of a signal; it is never aborted. */
const never = new AbortController().signal;
const SIGNAL = "abort signal";
const known = new WeakMap<CatalogRow, readonly string[]>();

/** The moment with a signal in each field of its event that is one. */
export function withSignals(row: CatalogRow, moment: Moment): Moment {
  const signals = signalsOf(row);
  if (signals.length === 0) return moment;
  return { ...moment, payload: { ...moment.payload, ...Object.fromEntries(signals.map((name) => [name, never])) } };
}

/** Whether something of a moment is in no file, beside the signals that are put in its place. */
export function isPartial(row: CatalogRow, { recorded }: Moment): boolean {
  const { partial = [] } = recorded ?? {};
  return partial.length > 0 && partial.some((path) => !signalsOf(row).some((name) => path === `payload.${name}`));
}

/** The fields of an event that are signals, which no file can hold. */
function signalsOf(row: CatalogRow): readonly string[] {
  const before = known.get(row);
  if (before !== undefined) return before;
  const { entries = {} } = row.payload() as { readonly entries?: Readonly<Record<string, Entry>> };
  const parts = ({ wrapped, pipe = [] }: Entry): readonly Entry[] => (wrapped === undefined ? pipe : parts(wrapped));
  const isSignal = (entry: Entry): boolean => parts(entry).some(({ title }) => title === SIGNAL);
  const signals = Object.keys(entries).filter((name) => isSignal(entries[name] as Entry));
  known.set(row, signals);
  return signals;
}
