import { expect, test } from "vitest";
import { diagnose } from "../../../ground/src/error/diagnostic.ts";
import { type AdmissionFacts, admission, type LackKind, type Missing } from "../../src/config/admission.ts";
import type { Demand } from "../../src/config/expected.ts";
import type { ReportedSource } from "../../src/config/report.ts";

function source(more: Partial<ReportedSource>): ReportedSource {
  return { dialect: "pi", lane: "pi", tier: "user", path: "/g.ts", state: "broken", events: [], reason: "no", ...more };
}

function missing(by: Demand, more: Partial<Missing> = {}): Missing {
  const expected = { name: "g", path: "/g.ts", by, needs: "handler" as const };
  return { expected, cause: "no", on: "guard", isPending: false, ...more };
}

function decide(more: Partial<AdmissionFacts> & { readonly sources?: readonly ReportedSource[] }) {
  const { sources = [], report, ...rest } = more;
  const summary = { found: 0, runs: 0, notRunning: 0 };
  return admission({
    missing: [],
    report: report ?? { sources, searched: [], diagnostics: [], summary },
    unreadable: [],
    isHeadless: true,
    allowsBroken: false,
    hasStarted: false,
    endsWhenBroken: (dialect) => dialect === "pi",
    ...rest,
  });
}

const LOCK = { path: "/p/hookline.lock", problem: undefined, speaksFor: (dialect: string) => dialect !== "claude" };

/** Every reason, and what it leads to: without a person, at a screen, and with `--allow-broken-hooks` without a person. */
const CELLS: readonly [
  reason: string,
  kind: LackKind,
  facts: Parameters<typeof decide>[0],
  headless: string,
  screen: string,
  allowed: string,
][] = [
  ["a required hook is missing", "required", { missing: [missing("setting")] }, "exit", "refuse", "exit"],
  ["a project's required hook is missing", "declinable", { missing: [missing("project")] }, "exit", "ask", "exit"],
  ["an entry of the lock does not run", "locked", { missing: [missing("lock")], lock: LOCK }, "exit", "exit", "exit"],
  ["what ran is gone", "required", { missing: [missing("found")] }, "exit", "refuse", "exit"],
  ["there is no lock", "unlisted", { lock: { ...LOCK, problem: "there is no such file" } }, "exit", "exit", "exit"],
  [
    "a hook is not in the lock",
    "unlisted",
    { lock: LOCK, sources: [source({ tier: "project", state: "untrusted" })] },
    "exit",
    "exit",
    "exit",
  ],
  [
    "a broken hook is not in the lock",
    "unlisted",
    { lock: LOCK, sources: [source({ tier: "project", state: "broken" })] },
    "exit",
    "exit",
    "exit",
  ],
  [
    "settings cannot be read",
    "settings",
    { unreadable: [diagnose("SETTINGS_UNREADABLE", { path: "/s", problem: "no" })] },
    "exit",
    "ask",
    "exit",
  ],
  ["a pi extension is broken", "ending", { sources: [source({})] }, "exit", "ask", "tell"],
  [
    "an approved pi extension of the project is broken",
    "ending",
    { sources: [source({ tier: "project", isApproved: true })] },
    "exit",
    "ask",
    "tell",
  ],
  ["an omp hook is broken", "broken", { sources: [source({ dialect: "omp" })] }, "tell", "ask", "tell"],
  ["a chibi plugin is broken", "broken", { sources: [source({ dialect: "chibi" })] }, "tell", "ask", "tell"],
];

test.each(CELLS)("%s", (_, kind, facts, headless, screen, allowed) => {
  const at = (more: Partial<AdmissionFacts>) => decide({ ...facts, ...more }).map((lack) => [lack.kind, lack.effect]);
  expect(at({})).toEqual([[kind, headless]]);
  expect(at({ isHeadless: false })).toEqual([[kind, screen]]);
  expect(at({ allowsBroken: true })).toEqual([[kind, allowed]]);
});

test.each<[string, Parameters<typeof decide>[0]]>([
  ["nothing is lacking", {}],
  ["a project's broken hook is not approved", { sources: [source({ tier: "project" })] }],
  ["a project's hook is not approved", { sources: [source({ tier: "project", state: "untrusted" })] }],
  ["a hook is disabled", { sources: [source({ state: "disabled" })] }],
  ["a hook is unreachable", { sources: [source({ state: "unreachable" })] }],
  ["a handler may still come", { missing: [missing("setting", { isPending: true })] }],
  [
    "the lock says nothing about a dialect",
    {
      lock: LOCK,
      sources: [source({ tier: "project", dialect: "claude", state: "untrusted" })],
    },
  ],
  [
    "a person's hooks are outside the lock",
    { lock: LOCK, sources: [source({ dialect: "omp", state: "unreachable" })] },
  ],
])("a run begins where %s", (_, facts) => {
  expect(decide(facts)).toEqual([]);
});

test("a pending hook counts as missing once the session has started, and decided ones are not asked about again", () => {
  const facts = { missing: [missing("setting", { isPending: true })], sources: [source({})] };
  expect(decide({ ...facts, hasStarted: true }).map(({ kind }) => kind)).toEqual(["required"]);
});

test("an error in a person's file of definitions counts as a broken hook, and one in a project's does not", () => {
  const about = (tier: "user" | "project") => ({
    sources: [],
    searched: [],
    diagnostics: [
      diagnose("SYNTAX", { path: "/h.yaml", line: 1, problem: "no" }, { source: { path: "/h.yaml", tier } }),
    ],
    summary: { found: 0, runs: 0, notRunning: 0 },
  });
  expect(decide({ report: about("user"), isHeadless: false }).map(({ kind, effect }) => [kind, effect])).toEqual([
    ["broken", "ask"],
  ]);
  expect(decide({ report: about("project"), isHeadless: false })).toEqual([]);
});
