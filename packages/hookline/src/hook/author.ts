import { isFields } from "@hookline/ground";

/** One hook's answer in a dispatch, in its dialect's form, with the hook's file and line. */
export interface Answered {
  readonly place: string;
  readonly answer?: unknown;
  readonly shadow?: true | undefined;
}

/** The maximum depth at which an answer is searched for texts. */
const DEPTH = 4;

/**
 * Returns the hooks that wrote a text, by file and line: those with an answer whose lines all occur in the text. If
 * there are none, the dialect has reworded the text, and the last hook that answered is returned.
 */
export function authorsOf(text: string, hooks: readonly Answered[]): readonly string[] {
  const found = writersOf(text, hooks);
  return found.length > 0
    ? found
    : answeredIn(hooks)
        .slice(-1)
        .map(({ place }) => place);
}

/**
 * Returns only the hooks with an answer whose lines all occur in a text, by file and line. A dialect may put words and
 * a colon before a line.
 */
export function writersOf(text: string, hooks: readonly Answered[]): readonly string[] {
  const lines = linesOf(text);
  const found = answeredIn(hooks).filter(({ answer }) =>
    textsIn(answer, DEPTH).some((one) => {
      const own = linesOf(one);
      return own.length > 0 && own.every((line) => lines.some((said) => said === line || said.endsWith(`: ${line}`)));
    }),
  );
  return [...new Set(found.map(({ place }) => place))];
}

function answeredIn(hooks: readonly Answered[]): readonly Answered[] {
  return hooks.filter(({ answer, shadow }) => answer !== undefined && !shadow);
}

/**
 * Returns the hooks that decided the outcome of a trace line, by file and line. A reason that was replaced by its
 * digest is compared with the digests in the answers.
 */
export function decidersOf(
  { reason }: { readonly reason?: unknown },
  hooks: readonly (Omit<Answered, "place"> & { readonly source: string })[],
): readonly string[] {
  const text = isFields(reason) ? String(reason["digest"]) : reason === undefined ? "" : [reason].flat().join("\n");
  // The refusal because of a guard that has failed names its place.
  const failed = hooks.filter(({ source, answer }) => answer === undefined && text.includes(`(${source})`));
  if (failed.length > 0) return [...new Set(failed.map(({ source }) => source))];
  return authorsOf(
    text,
    hooks.map(({ source, ...run }) => ({ ...run, place: source })),
  );
}

function linesOf(text: string): string[] {
  return text.split("\n").flatMap((line) => line.trim() || []);
}

/** Returns all texts in an answer, down to `depth`. */
function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth === 0) return [];
  return Object.values(value).flatMap((one) => textsIn(one, depth - 1));
}
