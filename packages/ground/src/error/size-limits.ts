/** The maximum size of one kind of text, such as a tool's output. */
export interface SizeLimit {
  readonly most: number;
  readonly unit: "bytes" | "characters" | "lines" | "notes";
}

/** The fields of hook answers that the model or the user sees, and their maximum length, for one lane. */
export interface HookTexts {
  /** The fields of an answer that the model or the user sees. `a.b` is the field `b` of `a`. */
  readonly fields: readonly string[];
  /** The maximum number of characters. Default `SIZE_LIMITS.hookText`. */
  readonly most?: number;
}

/**
 * Limits on what reaches the model, the screen or hookline itself. Limits of only one agent are in that agent's folder.
 * `docs/reference/limits.md`, which `scripts/limits-page.ts` generates, explains each limit.
 */
export const SIZE_LIMITS = {
  hookText: { most: 50_000, unit: "characters" },
  preview: { most: 2_000, unit: "characters" },
  toolBytes: { most: 50 * 1024, unit: "bytes" },
  toolLines: { most: 2_000, unit: "lines" },
  grepLine: { most: 500, unit: "characters" },
  answer: { most: 8 * 1024 * 1024, unit: "bytes" },
  stderr: { most: 64 * 1024, unit: "bytes" },
  httpAnswer: { most: 1024 * 1024, unit: "bytes" },
  verdict: { most: 1024 * 1024, unit: "characters" },
  diagnostic: { most: 2_000, unit: "characters" },
  said: { most: 200, unit: "characters" },
  screenText: { most: 64 * 1024, unit: "characters" },
  screenLine: { most: 4_096, unit: "characters" },
  statusLine: { most: 16_384, unit: "characters" },
} as const satisfies Readonly<Record<string, SizeLimit>>;

/** The length-limited fields of library handlers' answers, and of lanes that list no fields of their own. */
const LIBRARY: HookTexts = { fields: ["reason", "additionalContext", "remark", "feedback", "halt.reason"] };

/** Returns the maximum length of each text in answers of a lane's hooks, in characters. */
export function textLimit(texts: HookTexts = LIBRARY): number {
  return texts.most ?? SIZE_LIMITS.hookText.most;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns an answer with `shorten` applied to each text that is too long; the same object if none is. */
export function withShortTexts(
  answer: Fields,
  texts: HookTexts = LIBRARY,
  shorten: (field: string, text: string) => string,
): Fields {
  const most = textLimit(texts);
  let short: Record<string, unknown> | undefined;
  for (const path of texts.fields) {
    const [name = "", inner] = path.split(".");
    const value = answer[name];
    const within = inner === undefined ? value : (value as Fields | undefined)?.[inner];
    if (typeof within !== "string" || within.length <= most) continue;
    short ??= Object.assign(Object.create(Object.getPrototypeOf(answer) as object | null), answer);
    const text = shorten(inner ?? name, within);
    (short as Record<string, unknown>)[name] = inner === undefined ? text : { ...(value as Fields), [inner]: text };
  }
  return short ?? answer;
}

/** Returns the end of the `TEXT_CUT` message, which says where the whole text is. */
export function keptIn(path: string | undefined): string {
  return path === undefined ? "and the rest could not be kept" : `and all of it is in ${path}`;
}

/** Returns the beginning of a text that is too long. `path` is the file that contains the whole text. */
export function previewOf(text: string, path: string | undefined): string {
  const { most } = SIZE_LIMITS.preview;
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
  const where = path === undefined ? "the rest could not be kept" : `the whole text is in ${path}`;
  return `${text.slice(0, end)}…\n[${text.length} characters in all; ${where}]`;
}

/** Cuts a text to the maximum length of a detail in a diagnostic. */
export function brief(text: string): string {
  const { most } = SIZE_LIMITS.diagnostic;
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
