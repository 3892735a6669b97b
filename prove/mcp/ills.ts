/** A server's fault, and the required outcome of calls to it. */
export interface Ill {
  /** The fault's name, which the server gets as an argument. */
  readonly name: string;
  /** The outcome of each call that the guard allows. */
  readonly says: RegExp;
  /** Whether calls reach the server. */
  readonly reaches: boolean;
  /** Time limits of a call and of the start, in ms. */
  readonly timeoutMs: number;
  readonly startTimeoutMs: number;
}

const ILL: Readonly<Record<string, Partial<Ill>>> = {
  "is well": {},
  "never speaks": { says: /not found/, reaches: false, startTimeoutMs: 300 },
  "ends at once": { says: /not found/, reaches: false },
  "floods at once": { says: /not found/, reaches: false },
  hangs: { says: /did not answer within 250 ms/, timeoutMs: 250 },
  "answers to a wrong id": { says: /did not answer within 250 ms/, timeoutMs: 250 },
  dies: { says: /ended with exit code 9|cannot be used|has closed its stdin/ },
  "dies after the answer": { says: /^well$|ended with exit code 9|cannot be used|has closed its stdin/ },
  "floods without a line": { says: /more than 8388608 bytes|cannot be used|has closed its stdin/ },
  "sends a huge frame": { says: /more than 8388608 bytes|cannot be used|has closed its stdin/ },
  "answers with no result": { says: /The MCP server "a.b":/ },
  "answers with an error": { says: /unwell/ },
  "answers twice": {},
  "floods with notifications": {},
  "writes noise": {},
  "swaps its tools": {},
  "calls tools of the agent": {},
  "asks for a model and the person": {},
  "takes its tools away": { says: /^well$|not found/ },
  "has another process": {},
  "outlives its input": {},
};

/** Expectations of a working server. A minute is more than it needs, even on the slowest machine. */
const USUAL = { says: /^well$/, reaches: true, timeoutMs: 60_000, startTimeoutMs: 60_000 };

export const ILLS: readonly Ill[] = Object.entries(ILL).map(([name, ill]) => ({ name, ...USUAL, ...ill }));
