import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import type { Candidate, Found, Scan } from "../../../runtime/src/dialect/dialect.ts";
import { discover } from "../../src/pi/hooks/config.ts";
import { writeTree } from "./kit.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A scan over `project/` and `home/` of a fresh folder, which holds these files. */
function scanOf(
  files: readonly string[] | Readonly<Record<string, string>>,
  more: Partial<Scan> = {},
): Scan & { root: string } {
  const root = mkdtempSync(join(tmpdir(), "hookline-discover-"));
  roots.push(root);
  for (const folder of ["project", "home"]) mkdirSync(join(root, folder));
  writeTree(
    root,
    Array.isArray(files)
      ? Object.fromEntries(files.map((path) => [path, "export default () => {};"]))
      : (files as Record<string, string>),
  );
  return {
    root,
    cwd: join(root, "project"),
    home: join(root, "home"),
    hooklineHome: join(root, "home", ".hookline"),
    env: {},
    files: systemFiles,
    explicit: [],
    settings: {},
    ...more,
  };
}

/** Returns the paths that were found, relative to the root; those that do not run are followed by their state. */
function paths(scan: { root: string }, found: Found): string[] {
  const show = ({ source, state }: Candidate): string =>
    `${relative(scan.root, source.path)}${state === "runs" ? "" : ` (${state})`}`;
  return found.candidates.map(show);
}

const found = (scan: Scan & { root: string }): string[] => paths(scan, discover(scan));
const codes = (scan: Scan): string[] => discover(scan).diagnostics.map(({ code }) => code);
const json = (value: unknown): string => JSON.stringify(value, undefined, 2);
const nothing = "export default () => {};";

describe("the order of places", () => {
  const everywhere = {
    "project/.pi/extensions/project.ts": nothing,
    "project/.hookline/extensions/project.ts": nothing,
    "project/.pi/named.ts": nothing,
    "project/.pi/settings.json": json({ extensions: ["named.ts"], packages: ["./pack"] }),
    "project/.pi/pack/extensions/packed.ts": nothing,
    "home/.pi/agent/extensions/user.ts": nothing,
    "home/.pi/agent/named.ts": nothing,
    "home/.pi/agent/settings.json": json({ extensions: ["./named.ts"] }),
    "home/.hookline/extensions/user.ts": nothing,
    "project/given.ts": nothing,
  };

  test("is the seed's: the project's, the user's, the settings', then what was named [pi.order.1]", () => {
    const scan = scanOf(everywhere, { explicit: ["given.ts"] });
    expect(found(scan)).toEqual([
      "project/.pi/extensions/project.ts",
      "project/.hookline/extensions/project.ts",
      "home/.pi/agent/extensions/user.ts",
      "home/.hookline/extensions/user.ts",
      "project/.pi/named.ts",
      "home/.pi/agent/named.ts",
      "project/.pi/pack/extensions/packed.ts",
      "project/given.ts",
    ]);
    expect(discover(scan).candidates.map(({ source }) => source.tier)).toEqual([
      "project",
      "project",
      "user",
      "user",
      "project",
      "user",
      "project",
      "user",
    ]);
  });

  test("is that of pi's command line where the settings say so", () => {
    expect(found(scanOf(everywhere, { explicit: ["given.ts"], settings: { extensionOrder: "cli" } }))).toEqual([
      "project/given.ts",
      "project/.pi/named.ts",
      "project/.pi/extensions/project.ts",
      "project/.hookline/extensions/project.ts",
      "home/.pi/agent/named.ts",
      "home/.pi/agent/extensions/user.ts",
      "home/.hookline/extensions/user.ts",
      "project/.pi/pack/extensions/packed.ts",
    ]);
  });

  test("without hooks nothing is found, and every searched place is named", () => {
    const scan = scanOf([]);
    const { candidates, diagnostics, searched } = discover(scan);
    expect([candidates, diagnostics]).toEqual([[], []]);
    expect(searched.map((path) => relative(scan.root, path))).toEqual([
      "project/.pi/extensions",
      "project/.hookline/extensions",
      "home/.pi/agent/extensions",
      "home/.hookline/extensions",
      "project/.pi/settings.json",
      "home/.pi/agent/settings.json",
    ]);
  });

  test("pi's own variable moves the user's folder", () => {
    const scan = scanOf(["home/elsewhere/extensions/a.ts", "home/.pi/agent/extensions/b.ts"], {
      env: { PI_CODING_AGENT_DIR: "~/elsewhere" },
    });
    expect(found(scan)).toEqual(["home/elsewhere/extensions/a.ts"]);
  });

  test("a file that is found twice runs once, at its first place, also behind a link", () => {
    const scan = scanOf(["project/.pi/extensions/a.ts"], { explicit: ["./.pi/extensions/a.ts", "link.ts"] });
    symlinkSync(join(scan.cwd, ".pi/extensions/a.ts"), join(scan.cwd, "link.ts"));
    expect(found(scan)).toEqual(["project/.pi/extensions/a.ts"]);
  });
});

describe("one folder", () => {
  const folder = "project/.pi/extensions";

  test("files are sorted bytewise; other files and deeper folders are left alone", () => {
    const scan = scanOf(
      ["b.ts", "a.js", "Z.ts", "ä.ts", "types.d.ts", "notes.md", "x.mjs", "sub/deeper/index.ts", "helpers/util.ts"].map(
        (name) => `${folder}/${name}`,
      ),
    );
    expect(found(scan)).toEqual(["Z.ts", "a.js", "b.ts", "ä.ts"].map((name) => `${folder}/${name}`));
  });

  test("of a subfolder the manifest beats index.ts, which beats index.js", () => {
    const scan = scanOf({
      [`${folder}/a/package.json`]: json({ pi: { extensions: ["./main.ts", "./gone.ts"] } }),
      [`${folder}/a/main.ts`]: nothing,
      [`${folder}/a/index.ts`]: nothing,
      [`${folder}/b/index.ts`]: nothing,
      [`${folder}/b/index.js`]: nothing,
      [`${folder}/c/index.js`]: nothing,
      [`${folder}/c/package.json`]: json({ name: "c" }),
      [`${folder}/d/index.ts`]: nothing,
      [`${folder}/d/package.json`]: json({ pi: { extensions: ["./gone.ts"] } }),
    });
    expect(found(scan)).toEqual(
      ["a/main.ts", "b/index.ts", "c/index.js", "d/index.ts"].map((name) => `${folder}/${name}`),
    );
  });

  test("links to files and folders are followed", () => {
    const scan = scanOf(["project/lib/x.ts", "project/lib/pack/index.ts"]);
    mkdirSync(join(scan.root, folder), { recursive: true });
    symlinkSync(join(scan.cwd, "lib/x.ts"), join(scan.root, folder, "x.ts"));
    symlinkSync(join(scan.cwd, "lib/pack"), join(scan.root, folder, "pack"));
    symlinkSync(join(scan.cwd, "nowhere"), join(scan.root, folder, "dangling"));
    expect(found(scan)).toEqual([`${folder}/pack/index.ts`, `${folder}/x.ts`]);
  });

  test("a manifest that cannot be read is reported, and the neighbours stay", () => {
    const scan = scanOf({
      [`${folder}/a/package.json`]: `{\n "pi": `,
      [`${folder}/a/index.ts`]: nothing,
      [`${folder}/b/package.json`]: json({ pi: { extensions: "main.ts" } }),
      [`${folder}/c.ts`]: nothing,
    });
    expect(found(scan)).toEqual([`${folder}/a/index.ts`, `${folder}/c.ts`]);
    expect(codes(scan)).toEqual(["SYNTAX", "BAD_ENTRY"]);
  });
});

describe("settings", () => {
  test("`!` takes out by pattern, `+` puts back, `-` takes out for good", () => {
    const scan = scanOf({
      "project/.pi/settings.json": json({
        extensions: ["!extensions/*.ts", "+extensions/b.ts", "-extensions/c/index.ts", "!other.ts"],
      }),
      "project/.pi/extensions/a.ts": nothing,
      "project/.pi/extensions/b.ts": nothing,
      "project/.pi/extensions/c/index.ts": nothing,
      "project/.pi/extensions/d/index.ts": nothing,
      "home/.pi/agent/extensions/a.ts": nothing,
    });
    expect(found(scan)).toEqual([
      "project/.pi/extensions/a.ts (disabled)",
      "project/.pi/extensions/b.ts",
      "project/.pi/extensions/c/index.ts (disabled)",
      "project/.pi/extensions/d/index.ts",
      "home/.pi/agent/extensions/a.ts",
    ]);
    expect(discover(scan).candidates[0]?.reason).toContain("settings.json switches it off");
  });

  test("files, folders and patterns are relative to the settings; `~` is the home folder", () => {
    const scan = scanOf({
      "home/.pi/agent/settings.json": json({ extensions: ["~/mine.ts", "../shared", "more/*.ts", "/no/such.ts"] }),
      "home/mine.ts": nothing,
      "home/.pi/shared/index.ts": nothing,
      "home/.pi/shared/other.ts": nothing,
      "home/.pi/agent/more/b.ts": nothing,
      "home/.pi/agent/more/a.ts": nothing,
    });
    expect(found(scan)).toEqual([
      "home/mine.ts",
      "home/.pi/shared/index.ts",
      "home/.pi/agent/more/a.ts",
      "home/.pi/agent/more/b.ts",
      expect.stringContaining("no/such.ts (broken)"),
    ]);
  });

  test("a setting that cannot be read is reported with its line, and the rest stays", () => {
    const scan = scanOf({
      "project/.pi/settings.json": `{\n  "extensions": ["a.ts", 3],\n  "packages": "x"\n}`,
      "project/.pi/a.ts": nothing,
      "home/.pi/agent/settings.json": "{ nonsense",
      "home/.pi/agent/extensions/u.ts": nothing,
    });
    expect(found(scan)).toEqual([
      "home/.pi/agent/settings.json (broken)",
      "home/.pi/agent/extensions/u.ts",
      "project/.pi/a.ts",
    ]);
    // A settings file that means nothing may have named hooks.
    expect(discover(scan).candidates[0]).toMatchObject({ state: "broken", source: { tier: "user" } });
    expect(discover(scan).diagnostics.map(({ code, message }) => `${code} ${relative(scan.root, message)}`)).toEqual([
      'BAD_ENTRY project/.pi/settings.json:2: entry 2 of "extensions" cannot be read',
      'BAD_ENTRY project/.pi/settings.json:3: "packages" is not a list',
      "SYNTAX home/.pi/agent/settings.json:1: it is not valid JSON",
    ]);
  });
});

describe("packages", () => {
  test("the manifest's extensions count, else the folder `extensions`; the settings may limit them", () => {
    const scan = scanOf({
      "home/.pi/agent/settings.json": json({
        packages: [
          "~/one",
          { source: "~/two", extensions: ["extensions/a.ts"] },
          { source: "~/three", extensions: [] },
          { source: "~/four", extensions: ["!**/b.ts"] },
        ],
      }),
      "home/one/package.json": json({ pi: { extensions: ["./src/*.ts", "!src/test.ts", "./dir"] } }),
      "home/one/src/main.ts": nothing,
      "home/one/src/test.ts": nothing,
      "home/one/dir/x.ts": nothing,
      "home/two/extensions/a.ts": nothing,
      "home/two/extensions/b.ts": nothing,
      "home/three/extensions/a.ts": nothing,
      "home/four/extensions/a.ts": nothing,
      "home/four/extensions/b.ts": nothing,
    });
    expect(found(scan)).toEqual(
      ["one/src/main.ts", "one/dir/x.ts", "two/extensions/a.ts", "four/extensions/a.ts"].map((name) => `home/${name}`),
    );
  });

  test("packages that pi has installed are used where they lie; others are named, nothing is fetched", () => {
    const scan = scanOf({
      "home/.pi/agent/settings.json": json({
        packages: [
          "npm:@scope/pack@1.2.3",
          "git:github.com/user/repo@main",
          "https://github.com/user/other.git",
          "npm:missing",
          "./gone",
        ],
      }),
      "home/.pi/agent/npm/node_modules/@scope/pack/extensions/a.ts": nothing,
      "home/.pi/agent/git/github.com/user/repo/extensions/b.ts": nothing,
      "home/.pi/agent/git/github.com/user/other/extensions/c.ts": nothing,
    });
    expect(found(scan)).toEqual([
      "home/.pi/agent/npm/node_modules/@scope/pack/extensions/a.ts",
      "home/.pi/agent/git/github.com/user/repo/extensions/b.ts",
      "home/.pi/agent/git/github.com/user/other/extensions/c.ts",
      "home/.pi/agent/npm/node_modules/missing (broken)",
      "home/.pi/agent/gone (broken)",
    ]);
    expect(codes(scan)).toEqual([]);
  });
});

describe("what was named on the command line", () => {
  test("files and folders, relative to the project or the home folder", () => {
    const scan = scanOf(
      ["project/a.ts", "home/b.js", "project/dir/x.ts", "project/dir/y.ts", "project/pack/index.ts"],
      {
        explicit: ["./a.ts", "~/b.js", "dir", "pack"],
      },
    );
    expect(found(scan)).toEqual([
      "project/a.ts",
      "home/b.js",
      "project/dir/x.ts",
      "project/dir/y.ts",
      "project/pack/index.ts",
    ]);
  });

  test("what is not there is broken, and packages are not fetched", () => {
    const scan = scanOf([], { explicit: ["gone.ts", "npm:pack", "git:github.com/a/b"] });
    expect(found(scan)).toEqual([
      "project/gone.ts (broken)",
      "home/.hookline/packages/npm/pack@latest/node_modules/pack (broken)",
      "home/.hookline/packages/git/github.com/a/b@HEAD/package (broken)",
    ]);
    expect(codes(scan)).toEqual(["UNREADABLE"]);
  });

  test("a module belongs to the dialect whose packages it imports, and the reason is reported", () => {
    const omp = `import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";\n${nothing}`;
    const pi = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";\n${nothing}`;
    const scan = scanOf(
      {
        "project/omp.ts": omp,
        "project/pi.ts": pi,
        "project/none.ts": nothing,
        "project/said.ts": omp,
        "project/hook.ts": nothing,
        "project/hook-pi.ts": pi,
        "project/both/package.json": json({ pi: { extensions: ["./x.ts"] } }),
        "project/both/x.ts": omp,
        "project/theirs/package.json": json({ omp: { extensions: ["./x.ts"] } }),
        "project/theirs/x.ts": pi,
        "project/.hookline/extensions/o.ts": omp,
        "project/.hookline/extensions/p.ts": pi,
        "project/.pi/extensions/always.ts": omp,
      },
      {
        explicit: [
          "omp.ts",
          "pi.ts",
          "none.ts",
          "pi:said.ts",
          "omp:pi.ts",
          "hook:hook.ts",
          "hook:hook-pi.ts",
          "both",
          "theirs",
        ],
      },
    );
    expect(found(scan)).toEqual([
      "project/.pi/extensions/always.ts",
      "project/.hookline/extensions/p.ts",
      "project/pi.ts",
      "project/none.ts",
      "project/said.ts",
      "project/hook-pi.ts",
      "project/both/x.ts",
    ]);
    expect(discover(scan).candidates.map(({ reason }) => reason)).toEqual([
      undefined,
      "pi: it imports @mariozechner/pi-coding-agent",
      "pi: it imports @mariozechner/pi-coding-agent",
      "pi: it imports no agent's package",
      "pi: it was named so",
      "pi: it imports @mariozechner/pi-coding-agent",
      'pi: its package.json lists it under "pi"',
    ]);
  });
});

describe("what consent is asked about", () => {
  test("is the file with everything that it reaches by relative imports", () => {
    const scan = scanOf({
      "project/.pi/extensions/a.ts": `import "./lib/one"; export * from "./lib/two.js"; const x = require("./data.json"); import("../away.ts"); import "fs"; import "pkg"; ${nothing}`,
      "project/.pi/extensions/data.json": "{}",
      "project/.pi/extensions/lib/one.ts": `import "../a.ts"; import type { T } from "./types/index";`,
      "project/.pi/extensions/lib/two.ts": "",
      "project/.pi/extensions/lib/types/index.ts": "",
      "project/.pi/away.ts": "",
    });
    const [candidate] = discover(scan).candidates;
    expect(candidate?.files.map((path) => relative(join(scan.cwd, ".pi"), path))).toEqual([
      "extensions/a.ts",
      "extensions/lib/one.ts",
      "extensions/lib/two.ts",
      "extensions/data.json",
      "away.ts",
      "extensions/lib/types/index.ts",
    ]);
  });
});
