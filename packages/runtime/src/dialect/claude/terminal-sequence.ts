/** Any operating system command (OSC) of a terminal, or a bell. */
const PARTS = /\u001b\](\d*);([^\u0007\u001b]*)(?:\u0007|\u001b\\)|\u0007/g;
const HARMLESS: ReadonlySet<string | undefined> = new Set(["0", "1", "2", "9", "99", "777", undefined]);
const LONGEST = 512;
const MOST = 8;

/**
 * The harmless parts of a hook's text for the terminal: titles and notifications (OSC 0, 1, 2, 9, 99, 777) and the
 * bell, at most eight. Everything else is left out. Source: spec/claude.md 5.
 */
export function harmless(sequence: string): string {
  const found = [...sequence.matchAll(PARTS)].filter(
    ([, number, text = ""]) => HARMLESS.has(number) && text.length <= LONGEST && !/\p{Cc}/u.test(text),
  );
  return found
    .slice(0, MOST)
    .map(([whole]) => whole)
    .join("");
}
