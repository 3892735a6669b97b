import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Reader, root } from "./reader.ts";
import { missingLine, stepsOf } from "./steps.ts";

const guide = join(root, "docs/guide");

let reader: Reader;

beforeEach(() => {
  reader = new Reader();
});

afterEach(() => reader.remove());

/** Its steps need a registry and another machine: publish.programs.test.ts. */
const PUBLISH = "publish-a-guard.md";
const pages = readdirSync(guide).filter((name) => name.endsWith(".md"));

describe("the guide", () => {
  for (const name of pages.filter((one) => one !== PUBLISH && stepsOf(join(guide, one)).length > 0))
    test(
      `${name} holds when its steps are followed as they stand`,
      // A run waits a second for its telemetry to be sent and no longer, which on a busy machine may be too short.
      { timeout: 900_000, retry: name.includes("opentelemetry") ? 6 : 0 },
      () => reader.follow(`docs/guide/${name}`),
    );

  test("has a page with a tested guard for each dialect", () => {
    for (const name of ["a-pi", "an-omp", "a-jcli", "a-chibi"]) {
      const steps = stepsOf(join(guide, `write-${name}-guard.md`));
      expect(steps.some((step) => step.kind === "file" && step.path.endsWith(".test.ts"))).toBe(true);
      expect(steps.filter(({ kind }) => kind === "output").length).toBeGreaterThanOrEqual(4);
    }
  });

  test("links lead somewhere", () => {
    for (const name of pages) {
      const text = readFileSync(join(guide, name), "utf8");
      for (const [, target = ""] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
        if (/^https?:/.test(target) || target.startsWith("../reference/")) continue;
        expect(existsSync(join(guide, target)), `${name}: ${target}`).toBe(true);
      }
    }
  });
});

test("an output is compared line by line, in order, with … for anything", () => {
  expect(missingLine(["a …", "c"], "x\na b\nc\n")).toBeUndefined();
  expect(missingLine(["c", "a …"], "a b\nc\n")).toBe("a …");
  expect(missingLine(["a.b"], "axb")).toBe("a.b");
});
