import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dialects } from "../../../integrations/src/index.ts";
import type { HookSession } from "../../src/session/session.ts";
import { type More, type Opened, Project } from "./kit.ts";

let project: Project;

beforeEach(() => {
  project = new Project();
});
afterEach(() => project.remove());

const GUARD = 'export default (pi) => { pi.on("tool_call", () => undefined); };\n';
const SCHEMA = (hooks: string): string =>
  `#!/bin/sh\n[ "$1" = --schema ] && echo '{"name":"p","description":"d","hooks":[${hooks}]}'\nexit 0\n`;

const CALL = { toolCallId: "1", tool: "bash", args: { command: "ls" } };

/** Returns the events that are refused now. */
async function refused(session: HookSession): Promise<string[]> {
  const tool = await session.emit("tool.before", CALL);
  const shell = await session.emit("shell.user", { command: "ls", excludeFromContext: false, cwd: "/" });
  const prompt = await session.emit("prompt.before", { text: "hi" });
  return [
    ...(tool.answer.decision === "deny" ? ["tool"] : []),
    ...(shell.answer.cancel !== undefined ? ["shell"] : []),
    ...(prompt.answer.stop === true ? ["prompt"] : []),
  ];
}

/** A state in which a required file can be, how it gets there, and what its absence refuses and says. */
const CELLS: readonly {
  readonly state: string;
  readonly name: string;
  readonly make: (project: Project) => void | Promise<void>;
  readonly more?: (project: Project) => More;
  readonly refuses: readonly string[];
  readonly says?: RegExp;
}[] = [
  {
    state: "runs",
    name: "~/.pi/agent/extensions/g.ts",
    make: (p) => p.write("~/.pi/agent/extensions/g.ts", GUARD),
    refuses: [],
  },
  {
    state: "absent",
    name: "~/.pi/agent/extensions/g.ts",
    make: () => {},
    refuses: ["tool", "shell"],
    says: /no such file/,
  },
  {
    state: "nowhere that is searched",
    name: "~/guards/g.ts",
    make: (p) => p.write("~/guards/g.ts", GUARD),
    refuses: ["tool", "shell"],
    says: /nothing that is loaded reads it/,
  },
  {
    state: "broken by its syntax",
    name: "~/.pi/agent/extensions/g.ts",
    make: (p) => p.write("~/.pi/agent/extensions/g.ts", "export default ("),
    refuses: ["tool", "shell"],
    says: /Failed to load extension/,
  },
  {
    state: "broken by a missing import",
    name: "~/.omp/agent/hooks/pre/g.ts",
    make: (p) => p.write("~/.omp/agent/hooks/pre/g.ts", 'import { x } from "./absent.ts"; export default () => x();\n'),
    refuses: ["tool", "shell"],
    says: /absent/,
  },
  {
    state: "broken by its factory",
    name: "~/.omp/agent/extensions/g.ts",
    make: (p) => p.write("~/.omp/agent/extensions/g.ts", 'export default () => { throw new Error("no token"); };\n'),
    refuses: ["tool", "shell"],
    says: /no token/,
  },
  {
    state: "unreachable: it registers nothing",
    name: "~/.pi/agent/extensions/g.ts",
    make: (p) => p.write("~/.pi/agent/extensions/g.ts", "export default () => {};\n"),
    refuses: ["tool", "shell"],
    says: /registered nothing/,
  },
  {
    state: "only half there: one of its events does not exist",
    name: "~/.pi/agent/extensions/g.ts",
    make: (p) =>
      p.write(
        "~/.pi/agent/extensions/g.ts",
        'export default (pi) => { pi.on("tool_cal", () => ({ block: true })); pi.on("input", () => undefined); };\n',
      ),
    refuses: ["tool", "shell"],
    says: /tool_cal/,
  },
  {
    state: "without a handler: it only adds a command",
    name: "~/.pi/agent/extensions/g.ts",
    make: (p) =>
      p.write(
        "~/.pi/agent/extensions/g.ts",
        'export default (pi) => { pi.registerCommand("x", { handler: async () => {} }); };\n',
      ),
    refuses: ["tool", "shell"],
    says: /no handler/,
  },
  {
    state: "without the event that is named",
    name: "~/.pi/agent/extensions/g.ts#tool_call",
    make: (p) =>
      p.write("~/.pi/agent/extensions/g.ts", 'export default (pi) => { pi.on("input", () => undefined); };\n'),
    refuses: ["tool", "shell"],
    says: /no handler/,
  },
  {
    state: "there, named by the catalog's event",
    name: "~/.pi/agent/extensions/g.ts#tool.before",
    make: (p) => p.write("~/.pi/agent/extensions/g.ts", GUARD),
    refuses: [],
  },
  {
    state: "not approved",
    name: ".pi/extensions/g.ts",
    make: (p) => p.write(".pi/extensions/g.ts", GUARD),
    refuses: ["tool", "shell"],
    says: /not been approved/,
  },
  {
    state: "approved",
    name: ".pi/extensions/g.ts",
    make: async (p) => {
      p.write(".pi/extensions/g.ts", GUARD);
      await p.approve();
    },
    refuses: [],
  },
  {
    state: "changed since it was approved",
    name: ".pi/extensions/g.ts",
    make: async (p) => {
      p.write(".pi/extensions/g.ts", GUARD);
      await p.approve();
      p.write(".pi/extensions/g.ts", `${GUARD}// more\n`);
    },
    refuses: ["tool", "shell"],
    says: /changed after it was approved/,
  },
  {
    state: "disabled by a name",
    name: "~/.chibi/plugins/g.disabled",
    make: (p) => p.write("~/.chibi/plugins/g.disabled", SCHEMA('"pre_tool"'), "x"),
    refuses: ["tool", "shell"],
    says: /disabled/,
  },
  {
    state: "disabled by omp's settings",
    name: "~/.omp/agent/extensions/g.ts",
    make: (p) => {
      p.write("~/.omp/agent/extensions/g.ts", GUARD);
      p.write("~/.omp/agent/settings.json", '{"disabledExtensions":["extension-module:g"]}');
    },
    refuses: ["tool", "shell"],
    says: /disabled/,
  },
  {
    state: "a copy of a person's hook, which runs in its place",
    name: ".omp/hooks/pre/g.ts",
    make: (p) => {
      p.write("~/.omp/agent/hooks/pre/g.ts", GUARD);
      p.write(".omp/hooks/pre/g.ts", GUARD);
    },
    refuses: [],
  },
  {
    state: "unsupported: no module",
    name: "~/.omp/agent/hooks/pre/g.sh",
    make: (p) => p.write("~/.omp/agent/hooks/pre/g.sh", "exit 1\n", "x"),
    refuses: ["tool", "shell"],
    says: /unsupported/,
  },
  {
    state: "not executable",
    name: "~/.chibi/plugins/g",
    make: (p) => {
      p.write("~/.chibi/plugins/g", SCHEMA('"pre_tool"'), "x");
      chmodSync(p.path("~/.chibi/plugins/g"), 0o644);
    },
    refuses: ["tool", "shell"],
    says: /not executable/,
  },
  {
    state: "its dialect is not loaded",
    name: "~/.pi/agent/extensions/g.ts",
    make: (p) => p.write("~/.pi/agent/extensions/g.ts", GUARD),
    more: () => ({ dialects: [] }),
    refuses: ["tool", "shell"],
    says: /nothing that is loaded reads it/,
  },
  {
    state: "an entry of it is broken",
    name: "~/.jdata/agent/hooks.yaml",
    make: (p) =>
      p.write(
        "~/.jdata/agent/hooks.yaml",
        "pre_tool_execution:\n  - command: 'exit 0'\n  - comand: 'exit 1'\nstop:\n  - command: 'exit 0'\n",
      ),
    refuses: ["tool", "shell"],
  },
  {
    state: "known to guard nothing, and not approved",
    name: ".jcli/hooks.yaml",
    make: (p) => p.write(".jcli/hooks.yaml", "stop:\n  - command: 'exit 0'\n"),
    refuses: ["prompt"],
    says: /not been approved/,
  },
  {
    state: "a guard and an observer, and not approved",
    name: ".jcli/hooks.yaml",
    make: (p) =>
      p.write(".jcli/hooks.yaml", "stop:\n  - command: 'exit 0'\npre_tool_execution:\n  - command: 'exit 0'\n"),
    refuses: ["tool", "shell"],
  },
  {
    state: "one event of it, known to guard nothing, and not approved",
    name: ".jcli/hooks.yaml#stop",
    make: (p) =>
      p.write(".jcli/hooks.yaml", "stop:\n  - command: 'exit 0'\npre_tool_execution:\n  - command: 'exit 0'\n"),
    refuses: ["prompt"],
  },
  {
    state: "reached by a link",
    name: "~/.pi/agent/extensions/g.ts",
    make: (p) => {
      p.write("~/guards/g.ts", GUARD);
      p.write("~/.pi/agent/extensions/other.ts", "export default (pi) => pi.on('input', () => undefined);\n");
      symlinkSync(p.path("~/guards/g.ts"), p.path("~/.pi/agent/extensions/g.ts"));
    },
    refuses: [],
  },
  {
    state: "named by its real path, and loaded through a link",
    name: "~/guards/g.ts",
    make: (p) => {
      p.write("~/guards/g.ts", GUARD);
      p.write("~/.pi/agent/extensions/other.ts", "export default (pi) => pi.on('input', () => undefined);\n");
      symlinkSync(p.path("~/guards/g.ts"), p.path("~/.pi/agent/extensions/g.ts"));
    },
    refuses: [],
  },
];

test.each(CELLS)("a required hook that is $state", async ({ name, make, more, refuses, says }) => {
  await make(project);
  const settings = { required: [name] };
  await using opened: Opened = await project.open("trust", false, { ...more?.(project), settings });
  expect(await refused(opened.session)).toEqual(refuses);
  const missing = opened.session.missing();
  expect(missing.map(({ expected }) => expected.name)).toEqual(refuses.length === 0 ? [] : [name]);
  if (says !== undefined) expect(missing[0]?.cause).toMatch(says);
});

test.each(CELLS.filter(({ name }) => !name.includes("#")))(
  "a file under failClosed that is $state counts as required",
  async ({ name, make, more, refuses }) => {
    await make(project);
    await using opened = await project.open("trust", false, { ...more?.(project), settings: { failClosed: [name] } });
    expect(await refused(opened.session)).toEqual(refuses);
  },
);

test.each<[string, More]>([
  ["an order of lanes", { lanes: ["pi", "jcli"] }],
  ["an empty order", { lanes: [] }],
  ["one dialect alone", { dialects: dialects.filter(({ id }) => id === "jcli") }],
  ["no dialect at all", { dialects: [] }],
])("%s does not reach what refuses for a required hook", async (_, more) => {
  const settings = { required: ["~/.pi/agent/extensions/g.ts"] };
  await using opened = await project.open("trust", false, { ...more, settings });
  expect(await refused(opened.session)).toEqual(["tool", "shell"]);
});

/** A guard of j-cli that fails, in a file that a link leads to. */
const FAILING = "pre_tool_execution:\n  - command: exit 3\nstop:\n  - command: exit 3\n";

test.each([
  ["the event as its dialect calls it", "~/.jdata/agent/hooks.yaml#pre_tool_execution", ["tool"]],
  ["the catalog's event", "~/.jdata/agent/hooks.yaml#tool.before", ["tool"]],
  ["another event, whose hook guards nothing", "~/.jdata/agent/hooks.yaml#stop", []],
  ["the file that a link leads to", "~/dotfiles/hooks.yaml", ["tool"]],
])("failClosed may name %s", async (_, name, refuses) => {
  project.write("~/dotfiles/hooks.yaml", FAILING);
  project.write("~/.jdata/agent/other", "");
  symlinkSync(project.path("~/dotfiles/hooks.yaml"), project.path("~/.jdata/agent/hooks.yaml"));
  await using opened = await project.open("trust", false, { settings: { failClosed: [name] } });
  expect(await refused(opened.session)).toEqual(refuses);
  const codes = opened.diagnostics.map(({ code }) => code);
  expect(codes.includes("FAIL_CLOSED_VAIN")).toBe(refuses.length === 0);
  const shown = opened.session.report.sources.map(({ events, onFailure }) => [
    events[0],
    /^failClosed/.test(`${onFailure}`),
  ]);
  const isWhole = !name.includes("#");
  expect(shown).toEqual([
    ["pre_tool_execution", refuses.length > 0],
    ["stop", isWhole || refuses.length === 0],
  ]);
});

test("the path in an id under failClosed may begin with ~/", async () => {
  project.write("~/.jdata/agent/hooks.yaml", FAILING);
  const settings = { failClosed: ["jcli:~/.jdata/agent/hooks.yaml#pre_tool_execution[0]"] };
  await using opened = await project.open("trust", false, { settings });
  expect(await refused(opened.session)).toEqual(["tool"]);
});

test("a project closes no hook of the person's by a link to its file", async () => {
  project.write("~/.jdata/agent/hooks.yaml", FAILING);
  symlinkSync(project.path("~/.jdata/agent/hooks.yaml"), project.path("link.yaml"));
  const settings = { project: { failClosed: [project.path("link.yaml")] } };
  await using opened = await project.open("trust", false, { settings });
  expect(await refused(opened.session)).toEqual([]);
});

test("an id under failClosed demands no presence", async () => {
  await using opened = await project.open("trust", false, { settings: { failClosed: ["pi:/x/g.ts#tool_call[0]"] } });
  expect(await refused(opened.session)).toEqual([]);
});

test("the refusal names the hook and says why, and every report shows who refused", async () => {
  await using opened = await project.open("trust", false, { settings: { required: ["~/.pi/agent/extensions/g.ts"] } });
  const { answer } = await opened.session.emit("tool.before", CALL);
  expect(answer.reason).toBe(
    "~/.pi/agent/extensions/g.ts must run, but does not: there is no such file. `hookline hooks` shows more.",
  );
  expect(opened.session.explain("tool.before").plan.map(({ id }) => id)).toEqual([
    "required:~/.pi/agent/extensions/g.ts#tool.before[0]",
  ]);
});

test("a handler that comes while the session starts ends the refusal, and one that goes brings it back", async () => {
  project.write(
    "~/.pi/agent/extensions/g.ts",
    `export default (pi) => {
      let undo;
      pi.on("session_start", () => { undo = pi.on("tool_call", () => undefined); });
      pi.on("turn_start", () => { undo(); });
    };\n`,
  );
  const settings = { required: ["~/.pi/agent/extensions/g.ts#tool_call"] };
  await using opened = await project.open("trust", false, { settings });
  expect(await refused(opened.session)).toEqual(["tool", "shell"]);
  await opened.session.emit("session.start", { reason: "startup" });
  expect(await refused(opened.session)).toEqual([]);
  await opened.session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
  expect(await refused(opened.session)).toEqual(["tool", "shell"]);
});

test("a reload, and modules that are made again, bring the refusal back when the file has gone meanwhile", async () => {
  project.write("~/.pi/agent/extensions/g.ts", GUARD);
  const settings = { required: ["~/.pi/agent/extensions/g.ts"] };
  await using opened = await project.open("trust", false, { settings });
  expect(await refused(opened.session)).toEqual([]);
  rmSync(project.path("~/.pi/agent/extensions/g.ts"));
  await opened.session.renew(["pi"]);
  expect(await refused(opened.session)).toEqual(["tool", "shell"]);
  project.write("~/.pi/agent/extensions/g.ts", GUARD);
  await opened.session.load();
  expect(await refused(opened.session)).toEqual([]);
});

test("a hook that ran and breaks when it is loaded again counts as missing, though nothing requires it", async () => {
  project.write("~/.pi/agent/extensions/g.ts", GUARD);
  await using opened = await project.open();
  project.write("~/.pi/agent/extensions/g.ts", 'export default () => { throw new Error("gone"); };\n');
  await opened.session.renew(["pi"]);
  expect(await refused(opened.session)).toEqual(["tool", "shell"]);
  expect(opened.session.missing()[0]?.cause).toMatch(/gone/);
});

test("a project's hooks whose consent is withdrawn are not missed; those of the user are", async () => {
  project.write(".pi/extensions/own.ts", GUARD);
  project.write("~/.pi/agent/extensions/g.ts", GUARD);
  await project.approve();
  await using opened = await project.open();
  project.write(".pi/extensions/own.ts", `${GUARD}// changed\n`);
  await opened.session.renew(["pi"], { withdrawn: "project" });
  expect(opened.session.missing()).toEqual([]);
  expect(await refused(opened.session)).toEqual([]);
  project.write("~/.pi/agent/extensions/g.ts", "export default (");
  await opened.session.renew(["pi"], { withdrawn: "project" });
  expect(opened.session.missing()).toMatchObject([{ expected: { path: project.path("~/.pi/agent/extensions/g.ts") } }]);
});

test("a project's hook that ran and is not as it was approved is missed", async () => {
  project.write(".pi/extensions/own.ts", GUARD);
  await project.approve();
  await using opened = await project.open();
  project.write(".pi/extensions/own.ts", `${GUARD}// changed\n`);
  await opened.session.renew(["pi"]);
  expect(await refused(opened.session)).toEqual(["tool", "shell"]);
});

test("if hooks are not admitted, the earlier ones stay in force", async () => {
  project.write(
    "~/.pi/agent/extensions/g.ts",
    'export default (pi) => { pi.on("tool_call", () => ({ block: true })); };\n',
  );
  await using opened = await project.open();
  project.write("~/.pi/agent/extensions/g.ts", "export default (");
  const judge = (): void => {
    throw new Error("not admitted");
  };
  await expect(opened.session.load(judge)).rejects.toThrow("not admitted");
  expect(await refused(opened.session)).toEqual(["tool"]);
});

test("what a person continues without is no longer asked for", async () => {
  const settings = { project: { required: [project.path(".pi/extensions/g.ts")] } };
  await using opened = await project.open("trust", false, { settings });
  expect(await refused(opened.session)).toEqual(["tool", "shell"]);
  opened.session.excuse(project.path(".pi/extensions/g.ts"));
  expect(await refused(opened.session)).toEqual([]);
  await opened.session.load();
  expect(await refused(opened.session)).toEqual([]);
});
