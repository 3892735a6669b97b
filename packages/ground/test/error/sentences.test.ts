import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CODES, type Code } from "../../src/error/codes.ts";
import { diagnose } from "../../src/error/diagnostic.ts";

const codes = Object.keys(CODES) as Code[];
const namesIn = (code: Code): string[] =>
  [...`${CODES[code].message} ${CODES[code].hint}`.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Details that are the beginning of a sentence rather than a part of one. */
const LEADING = ["guess"];

test("no message and no hint ends with two stops, has two blanks, or shows a placeholder", () => {
  const detail = fc.constantFrom("a problem", "a problem.", "What to do.", "7", "it ended…", "x.ts");
  const given = fc
    .constantFrom(...codes)
    .chain((code) =>
      fc.tuple(
        fc.constant(code),
        fc.record(
          Object.fromEntries(
            namesIn(code).map((name) => [
              name,
              LEADING.includes(name) ? fc.constantFrom("", "Did you mean x? ") : detail,
            ]),
          ),
        ),
      ),
    );
  fc.assert(
    fc.property(given, ([code, details]) => {
      const { message, hint } = diagnose(code, details as Record<string, string>);
      const line = `${message}. ${hint}`;
      expect(line).not.toMatch(/\.\.|…\. \.| {2}|\{\w+\}/);
      expect(message).not.toMatch(/\.$/);
    }),
    { numRuns: 2000 },
  );
});

test("every report in the sources fills the placeholders of its code", () => {
  const lacking: string[] = [];
  let found = 0;
  for (const folder of ["ground", "runtime", "bridge", "integrations", "hookline", "fleet", "guards"].map((name) =>
    join(import.meta.dirname, "../../..", name, "src"),
  ))
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".ts"),
    ))
      for (const [, code, body = ""] of readFileSync(join(folder, file), "utf8").matchAll(
        /(?:diagnose|HooklineError)\(\s*"(\w+)",\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/g,
      )) {
        if (body.includes("...")) continue;
        found += 1;
        for (const name of namesIn(code as Code))
          if (!new RegExp(`\\b${name}\\b\\s*(?:[:,}]|$)`).test(body.trim()))
            lacking.push(`${file}: ${code} without ${name}`);
      }
  expect(lacking).toEqual([]);
  expect(found).toBeGreaterThan(60);
});
