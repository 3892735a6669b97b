import { describe, expect, test } from "vitest";
import { redact, SecretNames } from "../../src/secrets/redact.ts";
import { corpus } from "./corpus.ts";

const SEEDS = [1, 2, 3, 4, 5];

/**
 * The secrets of a sample that are not wholly inside what was found, as they are written. Of base64, only the characters
 * that hold the secret are.
 */
function missed({ title, text, secrets }: ReturnType<typeof corpus>[number]): string[] {
  const { findings } = redact(text, new SecretNames());
  const isCoded = /base64|login of the registry|basic|cluster/.test(title);
  return secrets
    .map(([start, end]) => (isCoded ? ([start + (end - start) * 0.5, end - 4] as const) : ([start, end] as const)))
    .filter(([start, end]) => !findings.some((one) => one.start <= start && one.end >= end))
    .map(([start, end]) => text.slice(start, end));
}

describe.each(SEEDS)("the corpus, seed %i", (seed) => {
  test("every secret of a known form is covered", () => {
    const open = corpus("must", seed).flatMap((sample) => missed(sample).map((secret) => [sample.title, secret]));
    expect(open).toEqual([]);
  });

  test("secrets known by name or place are covered", () => {
    const open = corpus("should", seed).flatMap((sample) => missed(sample).map((secret) => [sample.title, secret]));
    expect(open).toEqual([]);
  });

  test("texts without secrets stay as they are", () => {
    const changed = [...corpus("false", seed), ...corpus("false", seed, "independent-")].flatMap(({ text }) => {
      const clean = redact(text, new SecretNames()).text;
      return clean === text ? [] : [[text, clean]];
    });
    expect(changed).toEqual([]);
  });

  test("no secret of the independent texts is left", () => {
    const texts = [...corpus("must", seed, "independent-"), ...corpus("should", seed, "independent-")];
    const left = texts.flatMap(({ title, text, secrets }) => {
      const clean = redact(text, new SecretNames()).text;
      return secrets.some(([start, end]) => clean.includes(text.slice(start, end))) ? [[title, clean]] : [];
    });
    expect(left).toEqual([]);
  });
});
