import { type Context, createContext, Script } from "node:vm";

/** Total time for matching expressions against a text, in ms: rules come with projects, and texts from a model. */
const BUDGET_MS = 100;

const TEST = "sets.map((patterns) => patterns.some((pattern) => pattern.test(text)))";

let made: { readonly script: Script; readonly context: Context } | undefined;

/** Whether a text matches any expression of each set; undefined if the budget ran out first. */
export function fitsAny(sets: readonly (readonly RegExp[])[], text: string): readonly boolean[] | undefined {
  made ??= { script: new Script(TEST), context: createContext({}) };
  Object.assign(made.context, { sets, text });
  try {
    return made.script.runInContext(made.context, { timeout: BUDGET_MS }) as readonly boolean[];
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw thrown;
    return undefined;
  }
}
