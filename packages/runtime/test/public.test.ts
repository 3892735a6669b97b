import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hovers } from "./hover.ts";

const src = join(import.meta.dirname, "../src");
const read = (file: string): string => readFileSync(join(src, file), "utf8");

/** Every name that a file of exports gives away, types included. */
function exported(file: string): string[] {
  return [...read(file).matchAll(/^export (?:type )?\{([^}]*)\} from/gm)].flatMap(([, list = ""]) =>
    list.split(",").flatMap((one) => one.trim().replace(/^type /, "") || []),
  );
}

/** What semantic versioning covers. A name that is added here is promised for as long as the major version lives. */
const PUBLIC = [
  ...["createRuntime", "Runtime", "RuntimeOptions", "Session", "SessionOptions", "Scene", "HooksWithin"],
  ...["EventName", "Payload", "Answer", "Outcome", "WrappedCall", "WrappedResult", "ToolOutput"],
  ...["Message", "textOf", "HostServices", "HostUi", "LlmTransport"],
  ...["Consent", "trustEverything", "TrustStore", "FrozenConsent"],
  ...["Diagnostic", "HooklineError", "LoadReport", "TraceLine"],
  ...[
    "readRecording",
    "RecordingReader",
    "RecordedMoment",
    "RecordingHeader",
    "MomentLine",
    "RecordLevel",
    "RecordSink",
  ],
];

test("the library's own name gives what an embedding needs, and nothing else", async () => {
  expect(exported("index.ts").sort()).toEqual([...PUBLIC].sort());
  const values = Object.keys(await import("../src/index.ts"));
  expect(values.filter((name) => !PUBLIC.includes(name))).toEqual([]);
});

test("the reader of commands gives its words, readings and forms, and nothing else", async () => {
  expect(exported("command/index.ts").sort()).toEqual(
    [
      ...["Certainty", "CommandReader", "CommandWord", "Piece", "ReadCommand", "Reading", "RedirectedFile", "Value"],
      ...["Values", "baseOf", "formsOf", "knownOf", "loadReader"],
    ].sort(),
  );
  expect(Object.keys(await import("../src/command/index.ts")).sort()).toEqual([
    ...["baseOf", "formsOf", "knownOf", "loadReader"],
  ]);
});

test("what is internal is not public, and says so", () => {
  expect(exported("internal.ts").filter((name) => PUBLIC.includes(name))).toEqual([]);
  expect(read("internal.ts")).toContain("does not follow semantic versioning");
});

test.each([
  "index.ts",
  "internal.ts",
  "command/index.ts",
  "dialect/kit.ts",
  "dialect/index.ts",
  "testing/index.ts",
  "replay/index.ts",
])("%s names each export", (file) => {
  expect(read(file)).not.toMatch(/^export \* from/m);
});

test("an editor shows the types of an event as plain objects", async () => {
  // Below the repository, so that the package's name is found from there, and where no test that reads all files looks.
  const cache = join(import.meta.dirname, "../../../.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "hover-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "tsconfig.json"), '{ "extends": "../../tsconfig.json", "include": ["agent.ts"] }');
  const file = join(folder, "agent.ts");
  writeFileSync(
    file,
    `import { type Answer, createRuntime, type Payload } from "@hookline/runtime";
const session = await createRuntime().open({ scene: { sessionId: "1", cwd: "." } });
const { answer } = await session.emit("tool.before", { toolCallId: "1", tool: "bash", args: {} });
session.on("tool.after", (told) => ({ content: told.content }));
type Told = Payload<"input.sent">;
type Said = Answer<"tool.cache-before">;
`,
  );
  const shown = await hovers(file, ["answer }", "told)", "Told =", "Said ="]);
  expect(shown).toEqual([
    expect.stringMatching(
      /^const answer: \{[^<&]*readonly reason\?: string;[^<&]*args\?: Readonly<Record<string, unknown>>;/,
    ),
    expect.stringMatching(/^\(parameter\) told: \{[^&]*readonly content: readonly Content\[\];\n[^&]*\}$/),
    "type Told = {\n    readonly text: string;\n}",
    "type Said = {\n    readonly keep?: false | undefined;\n    readonly summary?: string | undefined;\n}",
  ]);
}, 120_000);
