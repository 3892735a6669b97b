import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Found, Scan } from "../../../runtime/src/dialect/dialect.ts";
import { chibi } from "../../src/chibi/hooks/index.ts";
import { Bench } from "./bench.ts";

const find = (bench: Bench, more: Partial<Scan> = {}): Found => chibi.discover(bench.scan(more)) as Found;
const names = (bench: Bench, found: Found, state = "runs"): string[] =>
  found.candidates.filter((one) => one.state === state).map((one) => one.source.path.slice(bench.root.length + 1));

describe("where plugins are looked for", () => {
  test("in chibi's home, hookline's home and the project, in this order, with their tiers", () => {
    const bench = new Bench();
    bench.write("a", "");
    bench.write(join(bench.hooklineHome, "plugins", "b"), "");
    bench.write(join(bench.cwd, ".hookline", "plugins", "c"), "");
    const found = find(bench);
    expect(found.searched).toEqual([
      join(bench.home, ".chibi", "plugins"),
      join(bench.hooklineHome, "plugins"),
      join(bench.cwd, ".hookline", "plugins"),
    ]);
    expect(found.candidates.map(({ source }) => [source.path.slice(-1), source.tier])).toEqual([
      ["a", "user"],
      ["b", "user"],
      ["c", "project"],
    ]);
  });

  test("CHIBI_HOME replaces ~/.chibi [chibi.edge.24]", () => {
    const bench = new Bench();
    bench.write("a", "");
    bench.write(join(bench.root, "other", "plugins", "b"), "");
    const found = find(bench, { env: { CHIBI_HOME: join(bench.root, "other") } });
    expect(names(bench, found)).toEqual(["other/plugins/b"]);
  });

  test("a relative CHIBI_HOME lies in the project and needs its consent", () => {
    const bench = new Bench();
    bench.write(join(bench.cwd, "here", "plugins", "b"), "");
    const found = find(bench, { env: { CHIBI_HOME: "here" } });
    expect(found.candidates.map(({ source }) => source.tier)).toEqual(["project"]);
  });

  test("a folder that is reached twice is read once", () => {
    const bench = new Bench();
    bench.write("a", "");
    symlinkSync(bench.plugins, join(bench.hooklineHome, "plugins"));
    expect(find(bench).candidates).toHaveLength(1);
  });

  test("a project's second name for a person's plugin does not make it run twice", () => {
    const bench = new Bench();
    bench.write(join("guard", "guard"), "");
    mkdirSync(join(bench.cwd, ".hookline"), { recursive: true });
    symlinkSync(join(bench.plugins, "guard"), join(bench.cwd, ".hookline", "plugins"));
    const [first, second] = find(bench).candidates;
    expect(first).toMatchObject({ state: "runs", source: { tier: "user" } });
    expect(second).toMatchObject({ state: "shadowed", twin: first?.source.path, source: { tier: "project" } });
  });

  test("no folder is not a fault", () => {
    const bench = new Bench();
    expect(find(bench, { home: join(bench.root, "nobody") })).toMatchObject({ candidates: [], diagnostics: [] });
  });
});

describe("what counts as a plugin", () => {
  test("files and folders that hold a file of their name, sorted bytewise; hidden ones are not special [chibi.edge.24]", () => {
    const bench = new Bench();
    const all = ["zeta", "m", "10-x", "2-x", "Beta", "alpha/alpha", "alpha/other", ".hidden"];
    for (const name of all) bench.write(name, "");
    expect(names(bench, find(bench)).map((path) => path.slice("home/.chibi/plugins/".length))).toEqual([
      ".hidden",
      "10-x",
      "2-x",
      "Beta",
      "alpha/alpha",
      "m",
      "zeta",
    ]);
  });

  test("what ends with .disabled is listed and does not run [chibi.edge.24]", () => {
    const bench = new Bench();
    bench.write("x.disabled", "");
    bench.write("y.disabled/y.disabled", "");
    const found = find(bench);
    expect(found.candidates.map(({ state }) => state)).toEqual(["disabled", "disabled"]);
    expect(found.diagnostics).toEqual([]);
  });

  test("a file without an execute bit is reported with the remedy", () => {
    const bench = new Bench();
    const path = bench.write("x", "", 0o644);
    const { candidates, diagnostics } = find(bench);
    expect(candidates).toMatchObject([{ state: "unsupported", reason: "it is not executable" }]);
    expect(diagnostics).toMatchObject([{ code: "UNSUPPORTED", hint: `Run: chmod +x ${path}` }]);
  });

  test("any execute bit is enough", () => {
    const bench = new Bench();
    bench.write("x", "", 0o645);
    expect(names(bench, find(bench))).toHaveLength(1);
  });

  test("a folder without a program of its name, and one that holds a folder there, are reported", () => {
    const bench = new Bench();
    bench.write("e/other", "");
    mkdirSync(join(bench.plugins, "f", "f"), { recursive: true });
    const { candidates, diagnostics } = find(bench);
    expect(candidates.map(({ reason }) => reason)).toEqual([
      "the folder has no file with the folder's name",
      "it is not a file",
    ]);
    expect(diagnostics).toHaveLength(2);
  });

  test("the load report says what a failure counts as", () => {
    const bench = new Bench();
    bench.write("a", "");
    const [open] = find(bench).candidates;
    expect(open).toMatchObject({
      timeoutMs: 30_000,
      onFailure: expect.stringContaining("fails open on a non-zero exit"),
    });
    const closed = find(bench, { settings: { own: { chibi: { guardFailure: "closed" } } } });
    expect(closed.candidates[0]?.onFailure).toBe(
      "pre_tool: fails closed: any failure refuses the call; other points: no effect",
    );
  });
});

describe("links", () => {
  test("a link within the folder runs what it leads to", () => {
    const bench = new Bench();
    const path = bench.write("a", "");
    symlinkSync("a", join(bench.plugins, "b"));
    const found = find(bench);
    expect(found.candidates.map(({ state, files }) => [state, files])).toEqual([
      ["runs", [path]],
      ["runs", [path]],
    ]);
  });

  test.each([
    ["a file", "tool", "tool"],
    ["a folder", "dir/dir", "dir"],
  ])("a link to %s outside is refused with the reason", (_, program, target) => {
    const bench = new Bench();
    bench.write(join(bench.root, "outside", program), "");
    symlinkSync(join(bench.root, "outside", target), join(bench.plugins, target));
    const { candidates, diagnostics } = find(bench);
    const reason = expect.stringContaining("leaves the plugins folder");
    expect(candidates).toMatchObject([{ state: "unsupported", reason }]);
    expect(diagnostics[0]?.hint).toMatch(/chibi\.linkDirectories/);
  });

  test("linkDirectories allows what they hold, and no folder whose name only begins like one of them", () => {
    const bench = new Bench();
    bench.write(join(bench.home, "src", "good"), "");
    bench.write(join(bench.home, "src-evil", "bad"), "");
    symlinkSync(join(bench.home, "src", "good"), join(bench.plugins, "good"));
    symlinkSync(join(bench.home, "src-evil", "bad"), join(bench.plugins, "bad"));
    const settings = { own: { chibi: { linkDirectories: ["~/src"] } } };
    expect(names(bench, find(bench, { settings }))).toEqual(["home/.chibi/plugins/good"]);
  });

  test("a link that leads nowhere is reported", () => {
    const bench = new Bench();
    symlinkSync("gone", join(bench.plugins, "x"));
    const message = expect.stringContaining("nowhere");
    expect(find(bench).diagnostics).toMatchObject([{ code: "UNSUPPORTED", message }]);
  });
});
