import { expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { diagnose, type FailureTold } from "../../../ground/src/error/diagnostic.ts";
import { runningLine } from "../../src/start/lines.ts";

const reader = { cwd: "/work", home: NO_HOME, more: "/hooks" };

function failed(path: string, failure: FailureTold, line?: number) {
  const source = { path, tier: "user", ...(line !== undefined && { line }) } as const;
  return { ...diagnose("HOOK_EXITED", {}, { source, hook: "h" }), failure };
}

test.each([
  [
    failed(
      "/work/.jcli/hooks.yaml",
      { what: "exit code 3", said: "no server", moment: "tool.before", effect: "went on" },
      7,
    ),
    "⚠ .jcli/hooks.yaml:7 failed (exit 3: no server); the call went on · /hooks",
  ],
  [
    failed(`${NO_HOME}/.pi/agent/extensions/a.ts`, { what: "no disk", moment: "tool.after", effect: "was withheld" }),
    "⚠ ~/.pi/agent/extensions/a.ts failed (no disk); the result was withheld · /hooks",
  ],
  [failed("/etc/x", { what: "signal SIGKILL", moment: "session.end" }), "⚠ /etc/x failed (signal SIGKILL) · /hooks"],
  [
    failed("/workshop/x", { what: "no answer within 5 ms", moment: "model.request", effect: "was refused" }),
    "⚠ /workshop/x failed (no answer within 5 ms); the request was refused · /hooks",
  ],
])("a hook's failure is one line %#", (diagnostic, line) => {
  expect(runningLine(diagnostic, reader)).toBe(line);
});

test.each([
  [
    "LINT",
    { path: `${NO_HOME}/.claude/settings.json`, line: 8, problem: "p", remedy: "r" },
    "~/.claude/settings.json:8: p",
  ],
  ["TRUST_CHANGED", { path: "/work/a.ts:1", changed: "/work/b.ts", how: "changed" }, "a.ts is not run: b.ts changed"],
] as const)("other reports have the paths that a failure's line has: %s", (code, details, said) => {
  const source = { path: code === "LINT" ? details.path : "/work/a.ts", line: 1, tier: "user" } as const;
  expect(runningLine(diagnose(code, details, { source }), reader)).toMatch(new RegExp(`^warning: ${said}`));
});

test("only what the failure's line does not say already is reported", () => {
  for (const code of ["FAILED_OPEN", "FAILED_CLOSED", "WITHHELD"] as const)
    expect(runningLine(diagnose(code), reader)).toBeUndefined();
  expect(runningLine(diagnose("SHADOWED", { path: "a", other: "b", key: "k" }), reader)).toBe(
    "warning: a gives way to b, which has the same name, k. Rename one of the two.",
  );
});
