import { Sitting } from "../packages/hookline/test/support/sitting.ts";
import { LARGE, VirtualTerminal } from "../packages/hookline/test/support/terminal.ts";
import type { Claim } from "./claim.ts";
import { SINKS, type Sink } from "./screen/sinks.ts";
import { VECTORS, type Vector } from "./screen/vectors.ts";

/** Modes that the screen itself switches: paste, synchronized drawing, the cursor. */
const OWN_MODES = /^\?(2004|2026|25)[hl]$/;
/** The title that the agent sets. */
const TITLE = /^hookline /;

/** Returns everything that a terminal was made to do besides showing text. */
function effects(terminal: VirtualTerminal, vector: string): string[] {
  const found: string[] = [];
  const tell = (what: string, values: readonly unknown[]): void => {
    if (values.length > 0) found.push(`${what}: ${JSON.stringify(values)}`);
  };
  tell("clipboard", terminal.clipboard);
  tell("links", terminal.links);
  tell("commands", terminal.commands);
  tell("replies", terminal.replies);
  tell("device strings", terminal.deviceStrings);
  tell(
    "modes",
    terminal.modes.filter((mode) => !OWN_MODES.test(mode)),
  );
  tell(
    "titles",
    terminal.titles.filter((title) => !TITLE.test(title) && /[\x00-\x1f\x7f-\x9f\u202a-\u202e]|owned/.test(title)),
  );
  if (terminal.bells > 0) found.push("bell");
  if (terminal.alternate) found.push("alternate screen");
  if (/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(vector) && terminal.written.includes(vector))
    found.push("it reached the terminal as it is");
  if (/[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u.test(terminal.written))
    found.push("it changes the order of text");
  return found;
}

/**
 * Whether a text has no effect even if it is written to a terminal unchanged; then the experiment would prove nothing.
 */
async function isHarmless(text: string): Promise<boolean> {
  using terminal = new VirtualTerminal(LARGE);
  terminal.write(text);
  await terminal.settled();
  return effects(terminal, text).length === 0;
}

/** Shows every vector in one place, one after the other; returns those that had an effect, or that were not shown. */
async function shown(sink: Sink, vectors: readonly Vector[]): Promise<string[]> {
  // The suffix finds a text on the screen, whatever happened to the text itself.
  const texts = vectors.map(({ text }, at) => `${text}(text ${at})`);
  const given = sink.given?.(texts) ?? {};
  const files = {
    "~/.pi/agent/extensions/go.ts": `const texts = ${JSON.stringify(texts)};
      export default function (pi) {
        pi.registerCommand("go", { handler: async (args, { ui }) => { const t = texts[Number(args)]; ${sink.act ?? ""} } });
      }`,
    ...given.files,
  };
  await using sitting = await Sitting.start({ size: LARGE, ...given, files });
  const { terminal } = sitting;
  const violations: string[] = [];
  for (const [at, { what, text }] of vectors.entries()) {
    const before = effects(terminal, text).length;
    sitting.say(sink.says(at));
    const isSeen = (): boolean => `${terminal.text()}${terminal.title}`.replace(/\s+/g, "").includes(`(text${at})`);
    await terminal.until(isSeen, 3000).catch(() => violations.push(`${sink.name}, ${what}: was not shown`));
    await terminal.settled();
    const found = effects(terminal, text);
    if (found.length > before) violations.push(`${sink.name}, ${what}: ${found.join("; ")}`);
    if (sink.after !== undefined) terminal.feed(sink.after);
  }
  await terminal.settled();
  // The screen still accepts keys and shows them where they belong.
  terminal.type("still here");
  if (!(await terminal.screen()).includes("still here")) violations.push(`${sink.name}: the screen is gone`);
  return violations;
}

/** Guarantees R20: whatever a hook, a model, a tool or a file contains is only text on the screen. */
export const claim: Claim = {
  name: "screen",
  says: "no text has an effect on the terminal, wherever it is shown",
  async run(size) {
    const violations: string[] = [];
    for (const { what, text } of VECTORS)
      if (await isHarmless(text)) violations.push(`${what}: has no effect even as it is, so it proves nothing`);
    // Neighbouring places are drawn by the same part, so every third one covers each part.
    const places = SINKS.filter((_, at) => size === "full" || at % 3 === 0);
    for (const sink of places) violations.push(...(await shown(sink, VECTORS)));
    const notes = [`${VECTORS.length} texts × ${places.length} places`, ...violations.slice(0, 20)];
    return { n: VECTORS.length * places.length, violations: violations.length, notes };
  },
};
