import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import type { Found, Scan } from "../../../runtime/src/dialect/dialect.ts";
import { Bench, codes } from "./kit.ts";

const one = (name: string) => `stop:\n  - command: ${name}\n`;
const commands = ({ candidates }: Found): string[] =>
  candidates.filter(({ state }) => state === "runs").map(({ definition }) => (definition as { text: string }).text);

describe("where hooks are looked for", () => {
  it("finds nothing and complains of nothing where there is nothing", async () => {
    const bench = new Bench();
    const found = await bench.discover();
    expect(found.candidates).toEqual([]);
    expect(found.diagnostics).toEqual([]);
    const at = (path: string) => join(bench.root, path);
    expect(found.searched).toEqual([
      at("home/.jdata/agent/hooks.yaml"),
      at("home/.jdata/agent/hooks"),
      at("home/.hookline/hooks.yaml"),
      at("project/.jcli/hooks.yaml"),
      at("project/.jcli/hooks"),
      at("project/.hookline/hooks.yaml"),
    ]);
  });

  it("[jcli.tier.1] the user's file is in ~/.jdata, or where J_DATA_PATH says", async () => {
    const bench = new Bench();
    bench.user(one("home"));
    const path = bench.write("data/agent/hooks.yaml", one("data"));
    expect(commands(await bench.discover())).toEqual(["home"]);
    const found = await bench.discover({ env: { J_DATA_PATH: join(bench.root, "data") } });
    expect(commands(found)).toEqual(["data"]);
    expect(found.candidates[0]?.source).toEqual({ path, line: 2, tier: "user", dialect: "jcli" });
    expect(commands(await bench.discover({ env: { J_DATA_PATH: "" } }))).toEqual(["home"]);
  });

  it("[jcli.tier.2] the project's file is in the nearest .jcli folder upwards", async () => {
    const bench = new Bench();
    const path = bench.project(one("project"));
    const cwd = join(bench.cwd, "a", "b");
    mkdirSync(cwd, { recursive: true });
    const found = await bench.discover({ cwd });
    expect(commands(found)).toEqual(["project"]);
    expect(found.candidates[0]?.source).toMatchObject({ path, tier: "project" });
  });

  it("a nearer .jcli folder without hooks hides those above it, a file of that name does not", async () => {
    const bench = new Bench();
    bench.project(one("project"));
    mkdirSync(join(bench.cwd, "a", ".jcli"), { recursive: true });
    bench.write("project/b/.jcli", "not a folder");
    expect(commands(await bench.discover({ cwd: join(bench.cwd, "a") }))).toEqual([]);
    expect(commands(await bench.discover({ cwd: join(bench.cwd, "b") }))).toEqual(["project"]);
  });

  it("hookline's own files come after j-cli's of the same tier", async () => {
    const bench = new Bench();
    bench.user(one("1"));
    bench.write("home/.hookline/hooks.yaml", one("2"));
    bench.project(one("3"));
    bench.write("project/.hookline/hooks.yaml", one("4"));
    const found = await bench.discover();
    expect(commands(found)).toEqual(["1", "2", "3", "4"]);
    expect(found.candidates.map(({ source }) => source.tier)).toEqual(["user", "user", "project", "project"]);
  });

  it("folders with a HOOK.yaml come after the file of their tier, sorted by name, the example left out", async () => {
    const bench = new Bench();
    bench.user(one("file"));
    for (const name of ["b", "B", "a", "example"])
      bench.write(`home/.jdata/agent/hooks/${name}/HOOK.yaml`, `events: [stop]\ncommand: ${name}\n`);
    bench.write("home/.jdata/agent/hooks/script.py", "print()");
    expect(commands(await bench.discover())).toEqual(["file", "B", "a", "b"]);
  });

  it("a file that two places lead to is read once, as the first", async () => {
    const bench = new Bench();
    bench.write("home/.hookline/hooks.yaml", one("own"));
    const found = await bench.discover({ cwd: bench.home });
    expect(found.candidates.map(({ source }) => source.tier)).toEqual(["user"]);
  });

  it.each([
    ["hooks.yml", "home/.jdata/agent/hooks.yml"],
    ["Hooks.yaml", "project/.jcli/Hooks.yaml"],
    ["hook.yaml", "home/.jdata/agent/hooks/mine/hook.yaml"],
  ])("says that %s is not read", async (_, path) => {
    const bench = new Bench();
    const whole = bench.write(path, one("x"));
    const found = await bench.discover();
    expect(found.candidates).toEqual([]);
    expect(codes(found.diagnostics)).toEqual(["UNSUPPORTED"]);
    expect(found.diagnostics[0]?.message).toContain(whole);
  });
});

describe("what is found", () => {
  it("carries what the load report shows", async () => {
    const bench = new Bench();
    const path = bench.user(
      "pre_tool_execution:\n  - command: g\n    on_error: abort\n    timeout: 3\n    filter: {tool_name: Bash}\n  - command: h\npost_tool_execution:\n  - {command: p, on_error: abort}\nsession_end:\n  - command: e\n",
    );
    const { candidates } = await bench.discover();
    expect(
      candidates.map(({ source, events, filter, timeoutMs, onFailure, files }) => [
        source.line,
        events,
        filter,
        timeoutMs,
        onFailure,
        files,
      ]),
    ).toEqual([
      [2, ["pre_tool_execution"], "tool_name=Bash", 3000, "abort: refuses", [path]],
      [6, ["pre_tool_execution"], undefined, 10_000, "skip: fails open", [path]],
      [8, ["post_tool_execution"], undefined, 10_000, "abort: ends the chain", [path]],
      [10, ["session_end"], undefined, 10_000, "reported, no effect", [path]],
    ]);
  });

  it("names the scripts that a project's command uses, for consent", async () => {
    const bench = new Bench();
    const guard = bench.write("project/.jcli/guard.py", "print()");
    const other = bench.write("project/tools/other script.sh", "true");
    bench.write("home/own.sh", "true");
    const path = bench.project(
      `stop:\n  - command: "python3 .jcli/guard.py --x && \\"$JCLI_CWD/tools/other script.sh\\" | cat; ${join(bench.home, "own.sh")} /bin/sh missing.sh"\n`,
    );
    expect((await bench.discover()).candidates[0]?.files).toEqual([path, guard, other]);
  });

  it("names the user's scripts, with ~ and $HOME", async () => {
    const bench = new Bench();
    const a = bench.write("home/.jdata/agent/hooks/inject_time.py", "print()");
    const b = bench.write("home/b.sh", "true");
    const path = bench.user(
      `stop:\n  - command: "python3 ~/.jdata/agent/hooks/inject_time.py"\n  - command: sh \${HOME}/b.sh\n`,
    );
    expect((await bench.discover()).candidates.map(({ files }) => files)).toEqual([
      [path, a],
      [path, b],
    ]);
  });

  it("names the scripts in the folder of a HOOK.yaml", async () => {
    const bench = new Bench();
    const script = bench.write("project/.jcli/hooks/mine/run.sh", "true");
    const path = bench.write("project/.jcli/hooks/mine/HOOK.yaml", "events: [stop]\ncommand: run.sh\n");
    const [candidate] = (await bench.discover()).candidates;
    expect(candidate?.files).toEqual([path, script]);
    expect(candidate?.definition).toMatchObject({ folder: join(bench.cwd, ".jcli", "hooks", "mine") });
  });

  it("reports entries that do not run with their state and reason", async () => {
    const bench = new Bench();
    const path = bench.user(
      "stop:\n  - command: a\n    filter: {tool_name: Bash}\n  - timeout: 3\non_fire:\n  - command: b\n",
    );
    const { candidates, diagnostics } = await bench.discover();
    expect(candidates.map(({ state, reason, source }) => [source.line, state, reason])).toEqual([
      [2, "unreachable", "stop has no tool, so a filter on one never matches"],
      [4, "broken", `${path}:4: the hook of type bash has no command`],
      [6, "unreachable", 'j-cli has no event "on_fire"'],
    ]);
    expect(codes(diagnostics).sort()).toEqual(["BAD_ENTRY", "UNKNOWN_HOOK_EVENT", "UNREACHABLE"]);
    expect(diagnostics.every(({ source }) => source?.path === path)).toBe(true);
  });

  it("a file that cannot be read costs itself only", async () => {
    const bench = new Bench();
    mkdirSync(join(bench.home, ".jdata", "agent", "hooks.yaml"), { recursive: true });
    bench.project(one("project"));
    const found = await bench.discover();
    expect(found.candidates.map(({ state }) => state)).toEqual(["broken", "runs"]);
    expect(codes(found.diagnostics)).toEqual(["UNREADABLE"]);
  });

  it("a file that is too large is refused by its size alone", async () => {
    const bench = new Bench();
    const path = bench.user(one("x"));
    const scan = bench.scan();
    const files: Scan["files"] = {
      ...scan.files,
      stat: (of) => {
        const stat = scan.files.stat(of);
        return of === path && stat !== undefined ? { ...stat, size: 8 * 1024 * 1024 + 1 } : stat;
      },
      read: () => {
        throw new Error("must not be read");
      },
    };
    expect((await bench.discover({ files })).diagnostics[0]?.message).toContain("it is larger than 8 MiB");
  });

  it("bytes that are not UTF-8 cost the entry that they stand in", async () => {
    const bench = new Bench();
    const bytes = Buffer.concat([
      Buffer.from("stop:\n  - command: a"),
      Buffer.of(0xff),
      Buffer.from("\n  - command: b\n"),
    ]);
    bench.user(bytes);
    const found = await bench.discover();
    expect(commands(found)).toEqual(["b"]);
    expect(found.diagnostics[0]?.message).toContain("hooks.yaml:2: command is not valid UTF-8");
  });

  it("broken links are not hooks", async () => {
    const bench = new Bench();
    mkdirSync(join(bench.home, ".jdata", "agent", "hooks"), { recursive: true });
    symlinkSync(join(NO_HOME, "hooks.yaml"), join(bench.home, ".jdata", "agent", "hooks.yaml"));
    symlinkSync(NO_HOME, join(bench.home, ".jdata", "agent", "hooks", "gone"));
    expect((await bench.discover()).candidates).toEqual([]);
  });
});
