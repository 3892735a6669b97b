import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ran, Workplace } from "../support/cli.ts";

/**
 * The place of runs without a person in which a required hook is missing; the built program is started as a user does.
 */
let place: Workplace;

beforeEach(() => {
  place = new Workplace();
  place.write("victim", "precious\n");
  place.write(
    "s.yaml",
    'replies:\n  - toolCalls: [{ name: bash, arguments: { command: "rm victim" } }]\n  - text: done\n    repeat: true\n',
  );
});

afterEach(() => place.remove());

/** A path of the project, or of the home when it begins with `~/`. */
function at(path: string): string {
  return path.startsWith("~/") ? join(place.home, path.slice(2)) : join(place.project, path);
}

const GUARD =
  'export default (pi) => { pi.on("tool_call", (e) => (/rm/.test(JSON.stringify(e.input)) ? { block: true } : undefined)); };\n';
const BROKEN = 'import { absent } from "./absent.ts";\nexport default () => absent();\n';

/** Writes down the home folder that code inside the process sees. */
const HOME_TELLER =
  'import { homedir } from "node:os";\nimport { writeFileSync } from "node:fs";\nexport default () => writeFileSync("home-seen", homedir());\n';

async function go(...args: readonly string[]): Promise<Ran & { readonly kept: boolean }> {
  const ran = await place.run(["-p", "--script", "s.yaml", ...args, "go"]);
  return { ...ran, kept: existsSync(at("victim")) };
}

describe("a hook that does not load", () => {
  test.each([["~/.pi/agent/extensions/g.ts"], ["~/.hookline/extensions/g.ts"]])(
    "of pi at %s ends the run before anything is asked",
    async (path) => {
      place.write(path, BROKEN);
      const ran = await go();
      expect([ran.code, ran.kept]).toEqual([1, true]);
      expect(ran.err).toMatch(/The run was not started:\n- .*g\.ts: Failed to load extension/);
      expect(ran.err).toContain("--allow-broken-hooks");
    },
  );

  test("of pi is left out where a person says so", async () => {
    place.write("~/.pi/agent/extensions/g.ts", BROKEN);
    const ran = await go("--allow-broken-hooks");
    expect([ran.code, ran.kept]).toEqual([0, false]);
    expect(ran.err).toContain("could not be loaded");
  });

  test.each<[string, string, "x"?]>([
    ["~/.omp/agent/hooks/pre/g.ts", BROKEN],
    ["~/.omp/agent/extensions/g.ts", BROKEN],
    ["~/.chibi/plugins/g", "#!/bin/sh\nexit 1\n", "x"],
    ["~/.jdata/agent/hooks.yaml", "pre_tool_execution:\n  - comand: 'exit 1'\n"],
  ])("at %s is told, and the run goes on as its program does", async (path, text, mode) => {
    place.write(path, text, mode);
    const ran = await go();
    expect([ran.code, ran.kept]).toEqual([0, false]);
    expect(ran.err).toMatch(/error: .*(g|g\.ts|hooks\.yaml)/);
  });

  test.each<[string, string, "x"?]>([
    ["~/.pi/agent/extensions/g.ts", BROKEN],
    ["~/.omp/agent/hooks/pre/g.ts", BROKEN],
    ["~/.omp/agent/extensions/g.ts", BROKEN],
    ["~/.chibi/plugins/g", "#!/bin/sh\nexit 1\n", "x"],
    ["~/.jdata/agent/hooks.yaml", "pre_tool_execution:\n  - comand: 'exit 1'\n"],
  ])("at %s ends the run where it is required or fail-closed, whatever is allowed", async (path, text, mode) => {
    place.write(path, text, mode);
    for (const setting of ["required", "failClosed"]) {
      place.write("~/.hookline/settings.json", JSON.stringify({ [setting]: [path] }));
      const ran = await go("--allow-broken-hooks");
      expect([setting, ran.code, ran.kept]).toEqual([setting, 1, true]);
    }
  });
});

describe("a required hook", () => {
  const require = (...names: readonly string[]): string =>
    place.write("~/.hookline/settings.json", JSON.stringify({ required: names }));

  test("that is left out by a flag ends the run, and the flag is named", async () => {
    place.write("~/.pi/agent/extensions/g.ts", GUARD);
    require("~/.pi/agent/extensions/g.ts");
    expect(await go()).toMatchObject({ code: 0, kept: true });
    for (const flags of [["--no-hooks"], ["--dialects", "jcli"]]) {
      const ran = await go(...flags);
      expect([ran.code, ran.kept]).toEqual([1, true]);
      expect(ran.err).toContain(`${flags[0]} was given`);
    }
  });

  test("of a project must be one of its own files", async () => {
    place.write(".hookline/settings.json", '{"required":[".pi/extensions/g.ts"]}');
    place.write(".pi/extensions/g.ts", GUARD);
    expect(await go()).toMatchObject({ code: 1, kept: true });
    expect(await go("--trust-project")).toMatchObject({ code: 0, kept: true });
  });

  test("is in the list and in the doctor's report", async () => {
    require("~/.pi/agent/extensions/g.ts");
    const list = await place.run(["hooks", "list", "--strict"]);
    expect([list.code, list.out]).toEqual([
      1,
      expect.stringContaining("g.ts must run, but does not: there is no such file"),
    ]);
    const doctor = await place.run(["doctor"]);
    expect(doctor.out).toMatch(/BROKEN {2}required hooks/);
  });

  test("that never registers its handler ends the run after the start, and the session's end is reported", async () => {
    place.write(
      "~/.pi/agent/extensions/g.ts",
      `import { appendFileSync } from "node:fs";
export default (pi) => { pi.on("session_shutdown", () => appendFileSync(${JSON.stringify(at("ended"))}, "x")); };\n`,
    );
    require("~/.pi/agent/extensions/g.ts#tool_call");
    const ran = await go();
    expect([ran.code, ran.kept, existsSync(at("ended"))]).toEqual([1, true, true]);
  });
});

describe("a locked project", () => {
  const breaches: readonly [string, () => void, readonly string[], RegExp][] = [
    [
      "its entry is gone",
      () => rmSync(at(".pi/extensions/g.ts")),
      [],
      /\.pi\/extensions\/g\.ts \(pi\) of hookline\.lock: there is no such file/,
    ],
    [
      "its entry has changed",
      () => place.write(".pi/extensions/g.ts", `${GUARD}//\n`),
      [],
      /changed after it was approved/,
    ],
    [
      "another hook lies beside",
      () => place.write(".omp/hooks/pre/new.ts", GUARD),
      [],
      /new\.ts: .*does not list this version of the hook/,
    ],
    ["there is no lock", () => rmSync(at("hookline.lock")), [], /hookline\.lock: there is no such file/],
    [
      "a pipe lies where the lock should be",
      () => {
        rmSync(at("hookline.lock"));
        execFileSync("mkfifo", [at("hookline.lock")]);
      },
      [],
      /hookline\.lock: it is not a file/,
    ],
    ["a flag leaves its entry out", () => {}, ["--dialects", "chibi"], /--dialects was given/],
    ["all hooks are switched off", () => {}, ["--no-hooks"], /--no-hooks was given/],
  ];

  test.each(breaches)("does not run where %s", async (_, change, flags, says) => {
    place.write(".pi/extensions/g.ts", GUARD);
    expect(await place.run(["trust", "approve", "--lock", "--yes"])).toMatchObject({ code: 0 });
    expect(await go("--frozen")).toMatchObject({ code: 0, kept: true });
    change();
    const ran = await go("--frozen", ...flags);
    expect([ran.code, ran.kept]).toEqual([1, true]);
    expect(ran.err).toMatch(says);
  });
});

test("a project without hooks can be locked, so that one that is added later ends the run", async () => {
  const locked = await place.run(["trust", "approve", "--lock", "--yes"]);
  expect(locked).toMatchObject({
    code: 0,
    out: expect.stringMatching(/nothing to approve[\s\S]*written: .*hookline\.lock/),
  });
  expect(await go("--frozen")).toMatchObject({ code: 0, kept: false });
  place.write("victim", "precious\n");
  place.write(".pi/extensions/g.ts", GUARD);
  expect(await go("--frozen")).toMatchObject({ code: 1, kept: true });
});

describe("settings that cannot be read", () => {
  test.each<[string, () => void]>([
    [
      "a broken link",
      () => {
        mkdirSync(at("~/.hookline"), { recursive: true });
        symlinkSync("nowhere", at("~/.hookline/settings.json"));
      },
    ],
    ["bad syntax", () => place.write("~/.hookline/settings.json", '{"failClosed": [')],
    ["a folder", () => mkdirSync(at("~/.hookline/settings.json"), { recursive: true })],
  ])("end the run: %s", async (_, make) => {
    make();
    const ran = await go();
    expect([ran.code, ran.kept]).toEqual([1, true]);
    expect(ran.err).toContain("settings.json");
  });

  test("of a project are reported, and the run continues", async () => {
    place.write(".hookline/settings.json", "{");
    expect(await go()).toMatchObject({ code: 0, kept: false, err: expect.stringContaining("settings.json:1") });
  });
});

describe("HOME", () => {
  test.each(["", ".", "home"])("%j makes nothing of the project the person's", async (home) => {
    place.write(".jdata/agent/hooks.yaml", "pre_send_message:\n  - command: touch pwned; echo {}\n");
    place.write(".hookline/hooks.yaml", "pre_send_message:\n  - command: touch pwned; echo {}\n");
    place.write("home/.jdata/agent/hooks.yaml", "pre_send_message:\n  - command: touch pwned; echo {}\n");
    place.write(".pi/extensions/home.ts", HOME_TELLER);
    const own = at("own-home");
    mkdirSync(own);
    // The system's list of users names the real home, which no test may read.
    place.write(
      "passwd.mjs",
      `import os from "node:os";
import { syncBuiltinESMExports } from "node:module";
const given = os.userInfo();
os.userInfo = () => ({ ...given, homedir: ${JSON.stringify(place.home)} });
syncBuiltinESMExports();
`,
    );
    const env = { HOME: home, HOOKLINE_HOME: own, NODE_OPTIONS: `--import=${pathToFileURL(at("passwd.mjs"))}` };
    await place.run(["-p", "--no-session", "--script", "s.yaml", "go"], { env });
    expect(existsSync(at("pwned"))).toBe(false);
    await place.run(["-p", "--no-session", "--script", "s.yaml", "--trust-project", "--dialects", "pi", "go"], { env });
    expect(readFileSync(at("home-seen"), "utf8")).toBe(place.home);
  });
});
