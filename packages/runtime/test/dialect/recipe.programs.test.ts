import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const runtime = fileURLToPath(new URL("../../", import.meta.url));

/** A copy of the library's sources beside them, so that its dependencies are found. */
class Tree {
  readonly top: string;

  constructor() {
    mkdirSync(join(runtime, ".cache"), { recursive: true });
    this.top = mkdtempSync(join(runtime, ".cache/recipe-"));
    cpSync(join(runtime, "src"), join(this.top, "src"), { recursive: true });
    onTestFinished(() => rmSync(this.top, { recursive: true, force: true }));
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.top, path)), { recursive: true });
    writeFileSync(join(this.top, path), text);
  }

  edit(path: string, from: string | RegExp, to: string): void {
    const text = readFileSync(join(this.top, path), "utf8");
    const edited = text.replace(from, to);
    expect(edited).not.toBe(text);
    this.write(path, edited);
  }

  /** The files that are not as they were. */
  touched(): string[] {
    const read = (path: string): string | undefined => {
      try {
        return readFileSync(path, "utf8");
      } catch {
        return undefined;
      }
    };
    return globSync("src/**/*.*", { cwd: this.top })
      .filter((path) => read(join(this.top, path)) !== read(join(runtime, path)))
      .sort();
  }

  run(program: string): unknown {
    this.write("program.ts", program);
    return JSON.parse(execFileSync(process.execPath, [join(this.top, "program.ts")], { encoding: "utf8" }));
  }
}

const ABOUT = `import type { About } from "../about.ts";
export const about: About = {
  label: "toy", ranks: { toy: 15 }, settings: {}, folders: { home: ".toy", project: ".toy" },
  movedBy: [], variables: [], mistaken: [],
};
`;
const EVENTS = `import { field, isString } from "../../catalog/read.ts";
import { halt, answerOnly, last, record } from "../../fold/index.ts";
import { row } from "../row.ts";
interface Answer { readonly no?: string }
export const rows = [
  row<"tool.before", object, Answer, Answer>({
    name: "before", of: "tool.before", kind: "guard", schedule: "series",
    fold: halt({ name: "no", by: (answer: Answer) => answer.no !== undefined, keep: answerOnly }, record<Answer>({ no: last() })),
    read: field<Answer>({ no: isString }),
    view: {
      get: ({ tool, args }) => ({ tool, args }),
      put: ({ no }) => (no === undefined ? undefined : { decision: "deny", reason: no }),
    },
  }),
];
`;
const CONFIG = `import type { Found, Scan } from "../dialect.ts";
export function discover({ cwd }: Scan): Found {
  const source = { path: cwd + "/.toy/rule", tier: "user", dialect: "toy" } as const;
  return { searched: [source.path], candidates: [{ lane: "toy", source, state: "runs", files: [], definition: {} }], diagnostics: [] };
}
`;
const INDEX = `import type { Dialect } from "../dialect.ts";
import { about } from "./about.ts";
import { discover } from "./config.ts";
import { rows } from "./events.ts";
export const toy: Dialect = {
  id: "toy", about, lanes: [{ id: "toy", rows, isolate: false, live: false }], discover,
  load(_candidate, instance) {
    instance.on({ event: "before", run: () => ({ no: "toys do not work" }) });
    if (rows.some(({ name }) => name === "noticed")) instance.on({ event: "noticed", run: (event: object) => void seen.push(event) });
  },
};
/** What was noticed. */
export const seen: object[] = [];
`;

function withToy(): Tree {
  const tree = new Tree();
  for (const [name, text] of Object.entries({ about: ABOUT, events: EVENTS, config: CONFIG, index: INDEX }))
    tree.write(`src/dialect/toy/${name}.ts`, text);
  tree.edit("src/dialect/index.ts", "omp, pi];", "omp, pi, toy];");
  tree.edit("src/dialect/index.ts", /^/, 'import { toy } from "./toy/index.ts";\n');
  tree.edit("src/dialect/abouts.ts", "chibi, claude }", "chibi, claude, toy }");
  tree.edit("src/dialect/abouts.ts", /^/, 'import { about as toy } from "./toy/about.ts";\n');
  return tree;
}

const OPEN = `import { createRuntime } from "./src/index.ts";
import { dialects } from "./src/dialect/index.ts";
const home = import.meta.dirname + "/home";
const runtime = createRuntime({ dialects, home, env: { PATH: process.env.PATH, HOME: home } });
const session = await runtime.open({ scene: { sessionId: "s", cwd: home } });
const call = { toolCallId: "1", tool: "bash", args: { command: "ls" } };
`;

test("a dialect is a folder and two lines, and its hooks are asked where its rank says", () => {
  const tree = withToy();
  const said = tree.run(`${OPEN}
const { answer } = await session.emit("tool.before", call);
console.log(JSON.stringify({ lanes: runtime.lanes.map(({ id }) => id), answer, states: session.report.sources.map(({ state }) => state) }));
await runtime.close();
`);
  expect(said).toEqual({
    lanes: ["required", "jcli", "toy", "chibi", "claude", "omp-hooks", "omp", "pi", "library"],
    answer: { decision: "deny", reason: "toys do not work" },
    states: ["runs"],
  });
  expect(tree.touched()).toEqual([
    "src/dialect/abouts.ts",
    "src/dialect/index.ts",
    "src/dialect/toy/about.ts",
    "src/dialect/toy/config.ts",
    "src/dialect/toy/events.ts",
    "src/dialect/toy/index.ts",
  ]);
});

test("an event is a row of the catalog and a row of each dialect that has it", () => {
  const tree = withToy();
  const before = new Set(tree.touched());
  tree.edit(
    "src/catalog/tool.ts",
    /^( {2})"tool\.start": define/m,
    `  "tool.noticed": define("tool.noticed", {
    fires: "When somebody notices a tool.",
    kind: "observe",
    payload: () => ({ tool: s.text() }),
    answer: () => ({}),
  }),
  "tool.start": define`,
  );
  const catalogOnly = tree.touched().filter((path) => !before.has(path));
  tree.edit(
    "src/dialect/toy/events.ts",
    "export const rows = [",
    `export const rows = [
  row<"tool.noticed" & never, object, never, never>({
    name: "noticed", of: "tool.noticed" as never, kind: "observe", schedule: "all", fold: record({}) as never,
    read: field({}), view: { get: (payload: object) => payload, put: () => undefined },
  }),`,
  );
  const said = tree.run(`${OPEN}
import { seen } from "./src/dialect/toy/index.ts";
await session.emit("tool.noticed" as never, { tool: "bash" } as never);
console.log(JSON.stringify(seen));
await runtime.close();
`);
  expect(said).toEqual([{ tool: "bash" }]);
  expect(catalogOnly).toEqual(["src/catalog/tool.ts"]);
});
