import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Desk } from "./desk.ts";

let desk: Desk;

beforeEach(() => {
  desk = new Desk();
});

afterEach(() => desk.remove());

type Fields = Readonly<Record<string, any>>;

/** A handler in a group of an event; some are right, and some are wrong in their own way. */
const ENTRIES: readonly Fields[] = [
  { event: "PreToolUse", matcher: "Bash", handler: { type: "command", command: "true" } },
  { event: "PreToolUse", matcher: "MultiEdit", handler: { type: "command", command: "true" } },
  { event: "PreToolUse", matcher: "Bash|Shell", handler: { type: "command", command: "true" } },
  { event: "PreToolUse", matcher: "[", handler: { type: "command", command: "true" } },
  { event: "PreToolUse", handler: { command: "true" } },
  { event: "PreToolUse", handler: { type: "comand", command: "true" } },
  { event: "PostToolUse", matcher: "Edit", handler: { type: "command", command: "./not-there.sh" } },
  { event: "PostToolUse", handler: { type: "command", command: "true", onfailure: "block" } },
  { event: "PostToolUse", handler: { type: "command", command: "true", timeout: 1e9 } },
  { event: "Stop", matcher: "x", handler: { type: "command", command: "exit 0" } },
  { event: "Stopp", handler: { type: "command", command: "true" } },
  { event: "a/b~c", handler: { type: "command", command: "true" } },
];

const PERMISSIONS = { deny: ["Bash(rm *)", "Bash(("] };

interface Written {
  readonly entries: readonly Fields[];
  readonly hasRules: boolean;
  /** Whether they are the person's own, which need no approval. */
  readonly isMine: boolean;
}

const written = fc.record({
  entries: fc.array(fc.constantFrom(...ENTRIES), { minLength: 1, maxLength: 8 }),
  hasRules: fc.boolean(),
  isMine: fc.boolean(),
});

function settingsOf({ entries, hasRules }: Written): object {
  const hooks: Record<string, object[]> = {};
  for (const { event, matcher, handler } of entries)
    (hooks[event] ??= []).push({ ...(matcher !== undefined && { matcher }), hooks: [handler] });
  return { hooks, ...(hasRules && { permissions: PERMISSIONS }) };
}

/** Pointers of all that a file defines, in the order of the file. */
function pointersOf(value: Fields): string[] {
  const events = Object.entries(value["hooks"] as Readonly<Record<string, Fields[]>>);
  const part = (event: string): string => event.replaceAll("~", "~0").replaceAll("/", "~1");
  return [
    ...events.flatMap(([event, groups]) => groups.map((_, at) => `/hooks/${part(event)}/${at}/hooks/0`)),
    ...(value["permissions"] === undefined ? [] : ["/permissions"]),
  ];
}

/** The same value in other layouts. */
const LAYOUTS: Readonly<Record<string, (value: object) => string>> = {
  indented: (value) => JSON.stringify(value, undefined, 2),
  "with tabs and CR LF": (value) => JSON.stringify(value, undefined, "\t").replaceAll("\n", "\r\n"),
  "on one line": (value) => JSON.stringify(value),
  "two lines further down": (value) => `\n\n${JSON.stringify(value, undefined, 2)}`,
  "a line for each event": (value) => JSON.stringify(value).replaceAll("]}],", "]}],\n"),
};

const SETTINGS = ".claude/settings.json";

/** Texts in which each hook is named by its pointer: by its line in indented files, as it is in others. */
function byPointer(value: unknown, names: ReadonlyMap<string, string>): unknown {
  let text = JSON.stringify(value);
  const longest = [...names].sort(([a], [b]) => b.length - a.length);
  for (const [name, pointer] of longest)
    text = text.replaceAll(JSON.stringify(name).slice(1, -1), `<${JSON.stringify(pointer).slice(1, -1)}>`);
  return JSON.parse(text);
}

function nameOf({ path, line, pointer }: Fields): string {
  if (pointer !== undefined) return `${path}#${pointer}`;
  return line === undefined ? path : `${path}:${line}`;
}

/** Returns the report about a file's hooks, each named by its pointer; fails if two hooks have the same name. */
async function told(given: Written, layout: (value: object) => string): Promise<object> {
  const value = settingsOf(given);
  desk.remove();
  desk = new Desk();
  const path = desk.write(given.isMine ? `~/${SETTINGS}` : SETTINGS, layout(value));
  const { json: list } = await desk.hookline(["hooks", "list", "--json"]);
  const ofFile = (list.sources as Fields[]).filter((one) => one["path"] === path);
  const found = [...new Set(ofFile.map(nameOf))];
  const pointers = pointersOf(value);
  expect(found, "each hook has a name of its own").toHaveLength(pointers.length);
  const names = new Map(found.map((name, at) => [name, pointers[at] as string]));
  for (const [name, pointer] of names) if (name.includes("#")) expect(name).toBe(`${path}#${pointer}`);
  const { json: imported } = await desk.hookline(["hooks", "import", "--json"]);
  const { json: trusted } = await desk.hookline(["trust", "list", "--json"]);
  const { json: explained } = await desk.hookline(["hooks", "explain", "tool.before", "--tool", "Bash", "--json"]);
  const { json: bridged } = await desk.hookline(["bridge", "report", "codex", "--json"]);
  // Texts for a person have short paths.
  const short = [...names].map(
    ([name, pointer]) =>
      [name.replace(given.isMine ? desk.home : `${desk.cwd}/`, given.isMine ? "~" : ""), pointer] as const,
  );
  const bare = ({ line: _, pointer: __, hash: ___, order: ____, ...rest }: Fields): object => rest;
  return byPointer(
    {
      hooks: ofFile.map((one) => ({ ...bare(one), name: nameOf(one) })),
      problems: (list.diagnostics as Fields[]).map(({ message, hint }) => ({ message, hint })),
      imported: (imported.files as Fields[]).flatMap(({ hooks }) =>
        (hooks as Fields[]).map((one) => ({ ...bare(one), name: one["pointer"] })),
      ),
      trusted: (trusted.entries as Fields[]).map((one) => ({ ...bare(one), name: nameOf(one) })),
      explained,
      bridged: bridged.hooks,
      ofNone: given.isMine ? (trusted.entries as Fields[]).length : (bridged.hooks as Fields[]).length,
    },
    new Map([...names, ...short, [desk.top, "TOP"]]),
  ) as object;
}

describe("a settings file's hooks have the same names in every layout", () => {
  test("in lists, problems, imports, approvals and losses", async () => {
    await fc.assert(
      fc.asyncProperty(written, async (given) => {
        const [first, ...others] = Object.entries(LAYOUTS);
        const expected = await told(given, (first as [string, (value: object) => string])[1]);
        for (const [name, layout] of others) expect(await told(given, layout), name).toEqual(expected);
      }),
      { numRuns: 6 },
    );
  });
});

describe("a hook on a line with others", () => {
  const two = { event: "PreToolUse", handler: { type: "command", command: "true" } };

  test("is listed, approved and revoked by its pointer, alone", async () => {
    const path = desk.write(
      SETTINGS,
      LAYOUTS["on one line"]!(
        settingsOf({ entries: [two, { ...two, matcher: "Bash" }], hasRules: false, isMine: false }),
      ),
    );
    const name = `${SETTINGS}#/hooks/PreToolUse/1/hooks/0`;
    const approved = await desk.hookline(["trust", "approve", "--yes", name]);
    expect(approved.out).toContain(`approved: ${path}#/hooks/PreToolUse/1/hooks/0\n`);
    const { out } = await desk.hookline(["hooks", "list"]);
    const rows = out.split("\n").filter((line) => line.includes(`${SETTINGS}#`));
    expect(rows.map((line) => line.split(/ +/).filter((word) => /^(?:runs|untrusted)$|#/.test(word)))).toEqual([
      ["untrusted", `${SETTINGS}#/hooks/PreToolUse/0/hooks/0`],
      ["runs", name],
    ]);
    expect((await desk.hookline(["trust", "revoke", `${SETTINGS}#/hooks/PreToolUse/0/hooks/0`])).code).toBe(1);
    const revoked = await desk.hookline(["trust", "revoke", name]);
    expect(revoked.out).toBe(`no longer approved: ${path}#/hooks/PreToolUse/1/hooks/0\n`);
  });

  test("is locked by its pointer", async () => {
    desk.write(SETTINGS, JSON.stringify(settingsOf({ entries: [two, two], hasRules: false, isMine: false })));
    await desk.hookline(["trust", "approve", "--yes", "--lock"]);
    const { hooks } = JSON.parse(desk.read("hookline.lock"));
    expect(hooks.map(({ pointer }: Fields) => pointer).sort()).toEqual([
      "/hooks/PreToolUse/0/hooks/0",
      "/hooks/PreToolUse/1/hooks/0",
    ]);
  });

  test("of j-cli has its pointer too, and so have its problems", async () => {
    const hooks = {
      pre_tool_execution: [{ command: "true" }, { command: "true", filter: { tool_name: "Nothing" } }, { comand: "x" }],
      no_such_event: [{ command: "true" }],
    };
    desk.write("~/.jdata/agent/hooks.yaml", JSON.stringify(hooks));
    const { json } = await desk.hookline(["hooks", "list", "--json"]);
    expect((json.sources as Fields[]).map(({ pointer, state }) => [pointer, state])).toEqual([
      ["/pre_tool_execution/0", "runs"],
      ["/pre_tool_execution/1", "unreachable"],
      ["/pre_tool_execution/2", "broken"],
      ["/no_such_event/0", "unreachable"],
    ]);
    const { message } = (json.diagnostics as Fields[]).find(({ message: text }) => text.includes("comand")) as Fields;
    expect(message).toContain("hooks.yaml#/pre_tool_execution/2: ");
  });

  test("and servers of one line have their own names", async () => {
    const servers = { one: { command: "true" }, "two/x": { command: "true" } };
    desk.write(".mcp.json", JSON.stringify({ mcpServers: servers }));
    const { json } = await desk.hookline(["mcp", "list", "--json"]);
    expect((json.servers as Fields[]).map(({ name }) => name)).toEqual(["one", "two/x"]);
  });
});

/** The ids of the hooks on a call, in their order. */
async function ids(): Promise<string[]> {
  const { json } = await desk.hookline(["hooks", "explain", "tool.before", "--tool", "Bash", "--json"]);
  return (json.plan as Fields[]).map(({ id }) => id);
}

describe("a hook refused the changes id", () => {
  const value = settingsOf({
    entries: [1, 2].map(() => ({
      event: "PreToolUse",
      matcher: "Bash",
      handler: { type: "command", command: "true" },
    })),
    hasRules: false,
    isMine: true,
  });

  test("where its line moves, beside one that is alike, and in a subfolder", async () => {
    const path = desk.write(`~/${SETTINGS}`, JSON.stringify(value));
    const both = [0, 1].map((at) => `claude:${path}#PreToolUse[${at}]`);
    expect(await ids()).toEqual(both);
    desk.write(`~/${SETTINGS}`, `\n\n${JSON.stringify(value, undefined, 2)}`);
    expect(await ids()).toEqual(both);
    desk.write("a/b/c", "");
    desk.cwd = desk.path("a/b");
    expect(await ids()).toEqual(both);
  });

  test("of its own where a variable moves the home", async () => {
    const path = desk.write("~/moved/settings.json", JSON.stringify(value));
    const { json } = await desk.hookline(["hooks", "explain", "tool.before", "--tool", "Bash", "--json"], {
      env: { CLAUDE_CONFIG_DIR: desk.path("~/moved") },
    });
    expect((json.plan as Fields[]).map(({ id, source }) => [id, source])).toEqual(
      [0, 1].map((at) => [`claude:${path}#PreToolUse[${at}]`, `${path}#/hooks/PreToolUse/${at}/hooks/0`]),
    );
  });
});
