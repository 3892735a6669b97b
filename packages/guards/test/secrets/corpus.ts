import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The purpose of a text of the corpus: it contains a secret of a known form (`must`), one known by its name or place
 * (`should`), or none (`false`).
 */
export type Group = "must" | "should" | "false";

/** One text of the corpus, with the ranges of its secrets. */
export interface Sample {
  readonly title: string;
  readonly text: string;
  readonly secrets: readonly (readonly [start: number, end: number])[];
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const ALPHABETS: Readonly<Record<string, string>> = {
  alnum: `${LETTERS}${LETTERS.toUpperCase()}0123456789`,
  alpha: `${LETTERS}${LETTERS.toUpperCase()}`,
  upper: `${LETTERS.toUpperCase()}0123456789`,
  hex: "0123456789abcdef",
  b64: `${LETTERS}${LETTERS.toUpperCase()}0123456789+/`,
  b32: `${LETTERS.toUpperCase()}234567`,
  bech: "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
  digits: "123456789",
};

/** Returns numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let one = Math.imul(state ^ (state >>> 15), 1 | state);
    one = (one + Math.imul(one ^ (one >>> 7), 61 | one)) ^ one;
    return ((one ^ (one >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Makes a text of its template. `<<alnum 24>>` is 24 characters by chance, `<<base64 …>>` the encoding of what is in it,
 * `<<esc>>` an escape; `<>` is nothing, and keeps the beginning of a key from being one in the file.
 */
export function made(template: string, random: () => number): string {
  let text = template.replaceAll("<>", "").replaceAll("<<esc>>", "\x1b").replaceAll("<<nul>>", "\0");
  text = text.replace(/<<(\w+) (\d+)>>/g, (_, name: string, count: string) => {
    const alphabet = ALPHABETS[name];
    if (alphabet === undefined) throw new Error(`There is no alphabet "${name}".`);
    return Array.from({ length: Number(count) }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
  });
  return text.replace(/<<base64 ([^>]*)>>/g, (_, plain: string) => Buffer.from(plain).toString("base64"));
}

/**
 * Returns the texts of a group, with new keys for each seed; with `independent-`, those that were written before their
 * writer had seen the guard or the other texts.
 */
export function corpus(group: Group, seed: number, from: "" | "independent-" = ""): readonly Sample[] {
  const random = seeded(seed);
  const file = readFileSync(join(import.meta.dirname, "corpus", `${from}${group}.txt`), "utf8");
  return file
    .replace(/\n$/, "")
    .split("\n%%\n")
    .map((block) => {
      const titled = group === "false" ? `${block.split("\n", 1)[0]}\n${block}` : block;
      const [title = "", ...lines] = titled.split("\n");
      return { title, ...marked(made(lines.join("\n"), random)) };
    });
}

/** Takes the marks of secrets out of a text. */
function marked(text: string): Pick<Sample, "text" | "secrets"> {
  const secrets: [number, number][] = [];
  let plain = "";
  for (const [at, part] of text.split(/[⟦⟧]/).entries()) {
    if (at % 2 === 1) secrets.push([plain.length, plain.length + part.length]);
    plain += part;
  }
  return { text: plain, secrets };
}
