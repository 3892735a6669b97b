import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { proofsOf } from "../tested.ts";

test("tests prove the requirements that their names cite, of one dialect at a time", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-tested-"));
  try {
    const path = join(folder, "tests.json");
    const assertionResults = [
      { fullName: "a says [x.a.1, x.b.2] both", status: "passed" },
      { fullName: "b breaks [x.a.1] [y.c.3]", status: "failed", failureMessages: ["Error: no\n  at"] },
      { fullName: "c is left out [x.a.1]", status: "skipped" },
      { fullName: "d cites nothing", status: "failed" },
    ];
    const broken = { name: "e.test.ts", message: "SyntaxError: no", assertionResults: [] };
    writeFileSync(path, JSON.stringify({ testResults: [{ name: "a.test.ts", assertionResults }, broken] }));
    expect(proofsOf(path, "x")).toEqual([
      { id: "a says [x.a.1, x.b.2] both", cites: ["x.a.1", "x.b.2"], problem: undefined },
      { id: "b breaks [x.a.1] [y.c.3]", cites: ["x.a.1"], problem: "Error: no" },
      { id: "e.test.ts", cites: [], problem: "SyntaxError: no" },
    ]);
    expect(proofsOf(path, "y").map(({ cites }) => cites)).toEqual([["y.c.3"], []]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
