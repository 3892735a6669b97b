import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { facePages, namesOf, publicFaces } from "../../../scripts/faces.ts";
import { hovers } from "./hover.ts";

const src = join(import.meta.dirname, "../src");
const read = (file: string): string => readFileSync(join(src, file), "utf8");

/** Every name that a file of exports gives away, types included. */
function exported(file: string): string[] {
  return [...read(file).matchAll(/^export (?:type )?\{([^}]*)\} from/gm)].flatMap(([, list = ""]) =>
    list.split(",").flatMap((one) => one.trim().replace(/^type /, "") || []),
  );
}

const faces = publicFaces();

test.each(faces)("the report on $specifier names what it gives, and nothing else", async ({ file, names }) => {
  const given: object = await import(join(import.meta.dirname, "../../..", file));
  const values = names.filter(({ name, kind }) => kind !== "interface" && kind !== "type" && !name.includes("."));
  expect(values.map(({ name }) => name)).toEqual(Object.keys(given).sort());
});

test("a name without a docstring is reported, and overloads, members and namespaces are shown without their bodies", () => {
  const file = ".cache/faces/face.ts";
  mkdirSync(join(import.meta.dirname, "../../../.cache/faces"), { recursive: true });
  writeFileSync(
    join(import.meta.dirname, "../../..", file),
    `/** Adds. Carefully. */
export function add(a: string): string;
export function add(a: number /* whole */): number;
export function add(a: never): never {
  return a;
}
/** Counts. */
export class Counter {
  #at = 0;
  private readonly hidden = 1;
  /** The limit. */
  readonly limit: number = 3;
  next(by = 1): number {
    return (this.#at += by);
  }
}
export interface Silent {
  readonly a:
    | "x"
    | "y";
}
`,
  );
  const names = namesOf(file);
  expect(names).toEqual([
    {
      name: "Counter",
      kind: "class",
      signature: ["class Counter {", "  readonly limit: number;", "  next(by = 1): number;", "}"],
      says: "Counts.",
    },
    { name: "Silent", kind: "interface", signature: ["interface Silent {", '  readonly a: "x" | "y";', "}"], says: "" },
    {
      name: "add",
      kind: "function",
      signature: ["function add(a: string): string", "function add(a: number): number"],
      says: "Adds.",
    },
  ]);
  expect(() => facePages([{ specifier: "@hookline/runtime/x", file, names }])).toThrow("Silent of @hookline/runtime/x");
  expect([...publicFaces(["fleet"]), ...publicFaces(["hookline"])]).toEqual([]);
});

test("the entries for this repository alone repeat no public name, and are not in the published package", () => {
  const own = namesOf("packages/runtime/src/index.ts").map(({ name }) => name);
  const { exports } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  for (const name of ["engine", "session", "past"]) {
    expect(exported(`${name}.ts`).filter((one) => own.includes(one))).toEqual([]);
    expect(Object.keys(exports[`./${name}`])).toEqual(["hookline-source"]);
  }
});

test.each([
  "index.ts",
  "engine.ts",
  "session.ts",
  "past.ts",
  "command/index.ts",
  "dialect/kit.ts",
  "guard/index.ts",
  "dialects.ts",
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
});
