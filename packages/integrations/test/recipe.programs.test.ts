import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const packages = fileURLToPath(new URL("../../", import.meta.url));
const COPIED = ["runtime", "integrations"];

/** A copy of the sources of the library and of the integrations beside them, so that their dependencies are found. */
class Tree {
  readonly top: string;

  constructor() {
    mkdirSync(join(packages, "runtime/.cache"), { recursive: true });
    this.top = mkdtempSync(join(packages, "runtime/.cache/recipe-"));
    const links = join(this.top, "node_modules/@hookline");
    mkdirSync(links, { recursive: true });
    // Without one, the packages' names would lead to the package around this folder.
    writeFileSync(join(this.top, "package.json"), '{ "type": "module" }\n');
    for (const name of COPIED) {
      for (const part of ["src", "package.json"])
        cpSync(join(packages, name, part), join(this.top, name, part), { recursive: true });
      symlinkSync(join(this.top, name), join(links, name));
    }
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
    return globSync("{ground,runtime,bridge,integrations}/src/**/*.*", { cwd: this.top })
      .filter((path) => read(join(this.top, path)) !== read(join(packages, path)))
      .sort();
  }

  run(program: string): unknown {
    this.write("program.ts", program);
    const args = ["--conditions=hookline-source", join(this.top, "program.ts")];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  }
}

const ABOUT = `import type { About } from "@hookline/runtime/dialect";
export const about: About = {
  label: "toy", ranks: { toy: 15 }, settings: {}, folders: { home: ".toy", project: ".toy" },
  movedBy: [], variables: [], mistaken: [],
};
`;
const EVENTS = `import { answerOnly, field, halt, isString, last, record, row } from "@hookline/runtime/dialect";
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
const CONFIG = `import type { Found, Scan } from "@hookline/runtime/dialect";
export function discover({ cwd }: Scan): Found {
  const source = { path: cwd + "/.toy/rule", tier: "user", dialect: "toy" } as const;
  return { searched: [source.path], candidates: [{ lane: "toy", source, state: "runs", files: [], definition: {} }], diagnostics: [] };
}
`;
const INDEX = `import type { Dialect } from "@hookline/runtime/dialect";
import { about } from "../about.ts";
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
    tree.write(`integrations/src/toy/${name === "about" ? "" : "hooks/"}${name}.ts`, text);
  tree.edit("integrations/src/index.ts", "omp, pi];", "omp, pi, toy];");
  tree.edit("integrations/src/index.ts", /^/, 'import { toy } from "./toy/hooks/index.ts";\n');
  tree.edit("integrations/src/abouts.ts", "chibi, claude }", "chibi, claude, toy }");
  tree.edit("integrations/src/abouts.ts", /^/, 'import { about as toy } from "./toy/about.ts";\n');
  return tree;
}

const OPEN = `import { createRuntime } from "@hookline/runtime";
import { dialects } from "@hookline/runtime/dialects";
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
    "integrations/src/abouts.ts",
    "integrations/src/index.ts",
    "integrations/src/toy/about.ts",
    "integrations/src/toy/hooks/config.ts",
    "integrations/src/toy/hooks/events.ts",
    "integrations/src/toy/hooks/index.ts",
  ]);
});

test("an event is a row of the catalog and a row of each dialect that has it", () => {
  const tree = withToy();
  const before = new Set(tree.touched());
  tree.edit(
    "runtime/src/catalog/tool.ts",
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
    "integrations/src/toy/hooks/events.ts",
    "export const rows = [",
    `export const rows = [
  row<"tool.noticed" & never, object, never, never>({
    name: "noticed", of: "tool.noticed" as never, kind: "observe", schedule: "all", fold: record({}) as never,
    read: field({}), view: { get: (payload: object) => payload, put: () => undefined },
  }),`,
  );
  const said = tree.run(`${OPEN}
import { seen } from "./integrations/src/toy/hooks/index.ts";
await session.emit("tool.noticed" as never, { tool: "bash" } as never);
console.log(JSON.stringify(seen));
await runtime.close();
`);
  expect(said).toEqual([{ tool: "bash" }]);
  expect(catalogOnly).toEqual(["runtime/src/catalog/tool.ts"]);
});
