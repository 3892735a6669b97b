import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dialects } from "@hookline/runtime/dialects";
import { describe, expect, test } from "vitest";
import { FLOORS, LAYERS } from "../../../../scripts/layers.ts";
import { builtinTools } from "../../src/tool/builtin.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const runtime = join(root, "packages/runtime/src");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const entries = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** Where a page's paths begin: they are written as short as they are clear. */
const TOPS = ["", "packages/", "packages/runtime/src/", "packages/hookline/src/"];

function exists(path: string): boolean {
  return TOPS.some((top) =>
    path.includes("*") ? globSync(`${top}${path}`, { cwd: root }).length > 0 : existsSync(join(root, top, path)),
  );
}

/** `a/{b,c}` is two paths, and `<dialect>` as many as there are dialects. */
function spelledOut(path: string): string[] {
  const [whole, list = ""] = /\{([^}]*)\}/.exec(path) ?? [];
  if (whole !== undefined) return list.split(",").flatMap((one) => spelledOut(path.replace(whole, one)));
  return path.includes("<dialect>") ? dialects.map(({ id }) => path.replace("<dialect>", id)) : [path];
}

/** What a page writes in code marks and means as a place in the tree. */
function pathsOf(page: string): string[] {
  const marked = [...read(page).matchAll(/`([^`\s]+)`/g)].map(([, text = ""]) => text);
  return marked
    .filter((text) => /^[\w<>*{},.-]+\/[\w<>*{},./-]*$/.test(text) && !text.startsWith("..."))
    .flatMap(spelledOut);
}

describe("the pages about the code", () => {
  test.each(["CONTRIBUTING.md", "AGENTS.md", "docs/guide/architecture.md"])(
    "%s names places that are there",
    (page) => {
      const paths = pathsOf(page);
      expect(paths.length).toBeGreaterThan(3);
      expect(paths.filter((path) => !exists(path))).toEqual([]);
    },
  );

  test("each function that the walk names stands in the file that it names", () => {
    const text = read("docs/guide/architecture.md");
    const named = [...text.matchAll(/`(\w+)` in `([\w/.-]+\.ts)`/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, name = "", path = ""] of named) {
      const top = TOPS.find((one) => existsSync(join(root, one, path))) ?? "";
      expect(read(join(top, path))).toMatch(new RegExp(`export (async )?function ${name}\\b`));
    }
  });

  test("the walk goes from one file to the next: each is imported by one of those before it", () => {
    const hops: readonly (readonly [from: string, to: string])[] = [
      ["hookline/src/turn/turn.ts", "./batch.ts"],
      ["hookline/src/turn/batch.ts", "./call.ts"],
      ["runtime/src/host/session.ts", "./dispatches.ts"],
      ["runtime/src/host/dispatches.ts", "../run/dispatch.ts"],
      ["runtime/src/run/dispatch.ts", "./ask.ts"],
      ["runtime/src/run/dispatch.ts", "./event-state.ts"],
      ["runtime/src/run/event-state.ts", "./lane-run.ts"],
    ];
    for (const [from, to] of hops)
      expect({ from, to, text: read(`packages/${from}`).includes(`"${to}"`) }).toEqual({ from, to, text: true });
    expect(read("packages/hookline/src/turn/call.ts")).toContain('ask(core, "tool.before"');
    expect(read("packages/runtime/src/catalog/tool.ts")).toContain('define("tool.before"');
  });

  test("the guide draws the floors as they are held", () => {
    const drawn = [...read("docs/guide/architecture.md").matchAll(/^```\n(.*?)^```$/gms)].map(([, plan = ""]) =>
      plan
        .trimEnd()
        .split("\n")
        .map((line) => line.slice(0, 41).trim().split(/\s+/)),
    );
    expect(drawn).toHaveLength(2);
    const [agent = [], library = []] = drawn;
    expect(agent.map((floor) => floor.toSorted()).reverse()).toEqual(FLOORS.map((floor) => floor.toSorted()));
    expect(library.flat().sort()).toEqual(Object.keys(LAYERS).sort());
    for (const [at, floor] of library.entries())
      for (const folder of floor) {
        const below = library.slice(at + 1).flat();
        expect({ folder, notBelow: LAYERS[folder]?.filter((one) => !below.includes(one)) }).toEqual({
          folder,
          notBelow: [],
        });
      }
  });

  test("each command that a page gives is a script, and CONTRIBUTING has them all", () => {
    const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
    const pages = [
      "README.md",
      "CONTRIBUTING.md",
      "AGENTS.md",
      "SECURITY.md",
      ...globSync("{docs,examples,conformance,bench}/**/*.md", { cwd: root }),
    ];
    const unknown = pages.flatMap((page) =>
      [...read(page).matchAll(/npm run (?:-s )?([\w:-]+)/g)].flatMap(([, name = ""]) =>
        name in scripts ? [] : [`${page}: ${name}`],
      ),
    );
    expect(unknown).toEqual([]);
    const contributing = read("CONTRIBUTING.md");
    const named = (name: string): boolean =>
      contributing.includes(`npm run ${name}\``) || contributing.includes(`npm ${name}\``);
    expect(Object.keys(scripts).filter((name) => !name.startsWith("pre") && !named(name))).toEqual([]);
  });

  test("AGENTS.md is read in a minute", () => {
    expect(read("AGENTS.md").split("\n").length).toBeLessThan(100);
  });

  test("each area of the map has its owners", () => {
    const areas = [
      ...read("CONTRIBUTING.md").matchAll(/^\| [\w ]+ \| `([^`]+)` \| .*prove|^\| dialects \| `([^`]+)`/gm),
    ];
    const folders = areas
      .flatMap(([, one, other]) => spelledOut(one ?? other ?? ""))
      .map((path) => `/packages/${path}/`);
    expect(folders.length).toBeGreaterThan(6);
    const owners = read(".github/CODEOWNERS")
      .split("\n")
      .map((line) => line.split(/\s+/)[0]);
    expect(folders.filter((folder) => !owners.includes(folder))).toEqual([]);
  });
});

describe("where a dialect is", () => {
  test.each(dialects.map(({ id }) => id))("%s has the files that each dialect has", (id) => {
    const files = readdirSync(join(runtime, "dialect", id));
    expect(files).toEqual(
      expect.arrayContaining(["events.ts", "views.ts", "tools.ts", "config.ts", "index.ts", "README.md"]),
    );
    // Hooks that run in the process have an interface, and modules that theirs are resolved to.
    if (id === "pi" || id === "omp") expect(files).toEqual(expect.arrayContaining(["api.ts", "modules.ts"]));
    expect(existsSync(join(root, `conformance/requirements/${id}.yaml`))).toBe(true);
    expect(readdirSync(join(root, "conformance/cases", id)).length).toBeGreaterThan(0);
  });

  test("a folder with a README is a dialect, and a line of the index", () => {
    const folders = entries("packages/runtime/src/dialect").filter((name) =>
      existsSync(join(runtime, "dialect", name, "README.md")),
    );
    expect(folders.sort()).toEqual(dialects.map(({ id }) => id).sort());
  });
});

describe("where a transport is", () => {
  const folders = entries("packages/runtime/src/transport");

  test.each(folders)("%s has its interface among the ports, and is made by the host", (name) => {
    expect(existsSync(join(runtime, "port", `${name}.ts`))).toBe(true);
    const host = ["transports.ts", "runtime.ts"].map((file) => read(`packages/runtime/src/host/${file}`)).join("");
    expect(host).toContain(`../transport/${name}/`);
    expect(read("packages/runtime/src/dialect/dialect.ts")).toMatch(new RegExp(`readonly ${name}: \\w+Transport;`));
  });
});

describe("where a tool is", () => {
  const tools = builtinTools({
    cwd: "/",
    processes: {
      run: () => Promise.reject(new Error("no")),
      open: () => Promise.reject(new Error("no")),
      close: async () => {},
    },
  });

  test.each(tools.map(({ name }) => name))("%s has a file and tests of its own", (name) => {
    expect(read(`packages/hookline/src/tool/${name}.ts`)).toMatch(/export function create\w+Tool/);
    expect(existsSync(join(root, `packages/hookline/test/tool/${name}.test.ts`))).toBe(true);
  });
});
