import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dialects, formats } from "@hookline/runtime/dialects";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../../../scripts/commands.ts";
import { DIALECTS, FLOORS, LAYERS } from "../../../../scripts/layers.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const runtime = join(root, "packages/runtime/src");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const entries = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** Folders to which a page's paths may be relative: paths are as short as they are clear. */
const TOPS = [
  "",
  "packages/",
  ...["ground", "runtime", "bridge", "integrations", "hookline"].map((name) => `packages/${name}/src/`),
];

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

/** Returns the texts in a page's code marks that mean paths of the repository. */
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
      ["runtime/src/session/session.ts", "./dispatches.ts"],
      ["runtime/src/session/dispatches.ts", "../run/dispatch.ts"],
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
    expect(agent.map((floor) => floor.toSorted()).reverse()).toEqual(FLOORS.hookline.map((floor) => floor.toSorted()));
    expect(library.flat().sort()).toEqual(Object.keys(LAYERS).sort());
    for (const [at, floor] of library.entries())
      for (const folder of floor) {
        const below = [DIALECTS, ...library.slice(at + 1).flat()];
        expect({ folder, notBelow: LAYERS[folder]?.filter((one) => !below.includes(one)) }).toEqual({
          folder,
          notBelow: [],
        });
      }
  });

  test("each command that a page or CI gives is a script, and CONTRIBUTING has them all in their order", () => {
    const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
    const pages = [
      "README.md",
      "CONTRIBUTING.md",
      "AGENTS.md",
      "SECURITY.md",
      ".ci/run",
      ...globSync(".github/workflows/*.yml", { cwd: root }),
      ...globSync("{docs,examples,conformance,bench}/**/*.md", { cwd: root }),
    ];
    const unknown = pages.flatMap((page) =>
      [...read(page).matchAll(/npm run (?:-s )?(?:dev -- ([a-z][\w:-]*)|([a-z][\w:-]*))/g)].flatMap(
        ([, further, name = ""]) =>
          (further === undefined ? name in scripts : further in COMMANDS) ? [] : [`${page}: ${further ?? name}`],
      ),
    );
    expect(unknown).toEqual([]);
    const rows = [
      ...(read("CONTRIBUTING.md").split("\n## ")[0] ?? "").matchAll(/^\| `(?:npm (?:run )?)?([\w:-]+)` \|/gm),
    ].map(([, name]) => name);
    const people = Object.keys(scripts).filter((name) => !name.startsWith("pre") && name !== "dev");
    expect(rows).toEqual([...people, ...Object.keys(COMMANDS)]);
    expect(people).toHaveLength(8);
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
    const folder = join(root, "packages/integrations/src", id);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["about.ts", "tools.ts", "README.md", "hooks"]));
    const files = readdirSync(join(folder, "hooks"));
    expect(files).toEqual(expect.arrayContaining(["events.ts", "views.ts", "calls.ts", "config.ts", "index.ts"]));
    // Hooks that run in the process have an interface, and modules that theirs are resolved to.
    if (id === "pi" || id === "omp") expect(files).toEqual(expect.arrayContaining(["api.ts", "modules.ts"]));
    expect(existsSync(join(root, `conformance/requirements/${id}.yaml`))).toBe(true);
    expect(readdirSync(join(root, "conformance/cases", id)).length).toBeGreaterThan(0);
  });

  test("an agent's folder with hooks is a dialect, and a line of the index", () => {
    const folders = entries("packages/integrations/src").filter((name) =>
      existsSync(join(root, "packages/integrations/src", name, "hooks")),
    );
    expect(folders.sort()).toEqual(formats.map(({ id }) => id).sort());
  });
});

describe("where a transport is", () => {
  const folders = entries("packages/runtime/src/transport");

  test.each(folders)("%s has its interface among the ports, and is made by the host", (name) => {
    expect(existsSync(join(runtime, "port", `${name}.ts`))).toBe(true);
    const host = ["transports.ts", "runtime.ts"].map((file) => read(`packages/runtime/src/session/${file}`)).join("");
    expect(host).toContain(`../transport/${name}/`);
    expect(read("packages/runtime/src/dialect/dialect.ts")).toMatch(new RegExp(`readonly ${name}: \\w+Transport;`));
  });
});
