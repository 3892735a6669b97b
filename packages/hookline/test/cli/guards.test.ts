import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Desk } from "../authors/desk.ts";

let desk: Desk;

beforeEach(() => {
  desk = new Desk();
  desk.write("notes.txt", "mine\n");
});

afterEach(() => desk.remove());

const FILE = "~/.hookline/guards/commands.ts";

/** Runs a session in which the model deletes the notes, and says what became of it. */
function deletes(): ReturnType<Desk["hookline"]> {
  desk.write(
    "script.yaml",
    `replies:
  - toolCalls: [{ name: bash, arguments: { command: rm notes.txt } }]
  - when: { lastResultMatches: "exists nowhere else" }
    text: The model was told.
  - text: The model was not told.
`,
  );
  return desk.hookline(["--script", desk.path("script.yaml"), "-p", "Delete my notes"]);
}

describe("the guard commands", () => {
  test("is added, explains itself, refuses a call, is tried on that call, and is removed", async () => {
    const added = await desk.hookline(["guards", "add", "commands"]);
    expect(added.out).toContain("commands is added: ~/.hookline/guards/commands.ts. It decides from the next start");
    const page = readFileSync(new URL("../../../../docs/guide/guards.md", import.meta.url), "utf8");
    expect(page).toContain(`\`\`\`ts\n${desk.read(FILE)}\`\`\``);
    const listed = await desk.hookline(["guards", "--json"]);
    expect(listed.code).toBe(0);
    expect(listed.json.guards).toContainEqual(expect.objectContaining({ name: "commands", state: "in force" }));

    const explained = await desk.hookline(["guards", "explain", "rm notes.txt"]);
    expect(explained.out).toMatch(/^commands asks a person, and refuses where nobody can be asked: rm notes\.txt\n/);
    expect(explained.out).toContain("delete notes.txt, which exists nowhere else (project)");
    expect(explained.out).toContain("secrets (not added) passes it");
    expect((await desk.hookline(["guards", "explain", "cat .env"])).out).toMatch(
      /^commands passes: cat \.env\n\nsecrets \(not added\) refuses it\. Not read\. \.env holds secret values/,
    );
    expect(existsSync(desk.path("notes.txt"))).toBe(true);

    expect((await deletes()).out).toContain("The model was told.");
    expect(existsSync(desk.path("notes.txt"))).toBe(true);

    const tried = await desk.hookline(["guards", "try"]);
    expect(tried.err).toContain("Reads 1 recording or session of this folder (1 of hookline;");
    expect(tried.out).toMatch(/^commands, in 1 day and 1 call: 0 refused, 1 asked, 0 passed with a note\./);
    expect(tried.out).toContain("asked: rm notes.txt\n  Not run. `rm notes.txt` would delete notes.txt");

    const removed = await desk.hookline(["guards", "remove", "commands"]);
    expect(removed.code).toBe(0);
    expect(existsSync(desk.path(FILE))).toBe(false);
    const again = await desk.hookline(["guards", "try", "commands", "--json"]);
    expect(again.json.found).toMatchObject([{ verdict: "asked", call: "rm notes.txt", count: 1 }]);
    expect((await deletes()).out).toContain("The model was not told.");
    expect(existsSync(desk.path("notes.txt"))).toBe(false);
  });

  test("each guard is listed with whether it works and what it did lately, those of one's own too", async () => {
    await desk.hookline(["guards", "add", "commands", "secrets"]);
    const guardOf = (name: string, answer: string): string =>
      `guard({ name: "${name}", on: "tool.before", tools: ["write"], run: ({ args }) => (${answer}),
  cases: [{ args: { path: ".env", content: "" }, expect: "deny" }] })`;
    const refuses = 'args.path.endsWith(".env") ? { deny: "no" } : undefined';
    const own = desk.write(
      ".hookline/guards/own.ts",
      `import { guard } from "@hookline/runtime/guard";
export default [
${guardOf("no-env", refuses)},
${guardOf("edited to allow", "args && undefined")},
];
`,
    );
    desk.write("~/.hookline/guards/faulty.ts", "export default 1;\n");
    await desk.hookline(["trust", "approve", "--yes"]);
    const key = "Zq8vT2xL9pW4nR7kD3mB6yH1";
    desk.write(".env", `API_TOKEN=${key}\n`);
    desk.write(
      "script.yaml",
      `replies:
  - toolCalls: [{ name: bash, arguments: { command: rm notes.txt } }]
  - toolCalls: [{ name: bash, arguments: { command: "printf '${key.slice(0, 12)}%s' ${key.slice(12)}" } }]
  - text: Done.
`,
    );
    await desk.hookline(["--allow-broken-hooks", "--script", desk.path("script.yaml"), "-p", "go"]);
    const { code, out, json } = await desk.hookline(["guards", "--json"]);
    expect(code, out).toBe(1);
    const of = (name: string) => json.guards.find((one: { name: string }) => one.name === name);
    expect(of("commands")).toMatchObject({ state: "in force", asked: 2, refused: 0, askedPerson: 1, edited: 0 });
    expect(of("secrets")).toMatchObject({ state: "in force", refused: 0, askedPerson: 0 });
    expect(of("secrets").edited).toBeGreaterThan(0);
    expect(of("no-env")).toMatchObject({ state: "in force", path: `${own}:3`, asked: 0 });
    expect(of("edited to allow")).toMatchObject({ state: "does not work", because: "it let its case pass." });
    expect(of("faulty")).toMatchObject({ state: "does not run" });
    const shown = (await desk.hookline(["guards"])).out;
    expect(shown).toMatch(/^guard +state +asked in 7 days +refused +asked you +edited +file$/m);
    expect(shown).toMatch(/^no-env +in force +0 +0 +0 +0 +\.hookline\/guards\/own\.ts:3$/m);
    expect(shown).toContain("edited to allow: it let its case pass.\n");
  });

  test("in shadow decides nothing, and out of it again", async () => {
    await desk.hookline(["guards", "add", "commands", "--shadow"]);
    const { json } = await desk.hookline(["guards", "--json"]);
    expect(json.guards[0]).toMatchObject({ name: "commands", state: "in shadow" });
    await deletes();
    expect(existsSync(desk.path("notes.txt"))).toBe(false);
    await desk.hookline(["guards", "remove", "commands"]);
    expect(JSON.parse(desk.read("~/.hookline/settings.json"))).toEqual({});
  });

  test("lets a call pass with a note for the model and the person, where a person's settings say so", async () => {
    await desk.hookline(["guards", "add", "commands"]);
    desk.write("~/.hookline/settings.json", '{ "guards": { "commands": { "level": "note" } } }');
    const ran = await deletes();
    expect(existsSync(desk.path("notes.txt"))).toBe(false);
    expect(ran.out).toContain("The model was told.");
    expect(ran.err).toContain("`rm notes.txt` would delete notes.txt, which exists nowhere else.");
  });

  test("is tightened by a project's settings, and not loosened", async () => {
    await desk.hookline(["guards", "add", "commands"]);
    desk.write(
      ".hookline/settings.json",
      '{ "guards": { "commands": { "level": "note", "allow": ["*"] }, "paths": { "protect": ["notes.txt"] } } }',
    );
    const ran = await deletes();
    expect(existsSync(desk.path("notes.txt"))).toBe(true);
    expect(ran.err).toContain("a project cannot loosen a guard");
    expect(ran.err).toContain('"guards.commands.allow" cannot be set by a project');
    const { json } = await desk.hookline(["guards", "explain", "echo x > notes.txt", "--json"]);
    expect(json).toMatchObject({ verdict: "deny", evidence: ["notes.txt"] });
  });
});

describe("a session of Claude Code", () => {
  /** A session's file as the program writes it: a line a block, ids that lead from line to line, results apart. */
  const lines = (calls: readonly (readonly [tool: string, input: object])[], more: object = {}): string => {
    const written: object[] = [
      { type: "file-history-snapshot", messageId: "m0", snapshot: {}, isSnapshotUpdate: false },
    ];
    let parentUuid: string | null = null;
    const add = (type: string, message: object, rest: object = {}): void => {
      const uuid = `u${written.length}`;
      const about = { parentUuid, isSidechain: false, userType: "external", cwd: desk.cwd, sessionId: "s1" };
      written.push({
        ...{ ...about, version: "2.1.0", gitBranch: "main", type, message, uuid, ...more, ...rest },
        timestamp: new Date(Date.now() - 86_400_000 + written.length * 1000).toISOString(),
      });
      parentUuid = uuid;
    };
    add("user", { role: "user", content: "Clean up." });
    for (const [at, [name, input]] of calls.entries()) {
      const id = `toolu_${at}`;
      const reply = { id: `msg_${at}`, type: "message", role: "assistant", model: "claude-opus-4-5" };
      add("assistant", { ...reply, content: [{ type: "thinking", thinking: "…", signature: "x" }] });
      add("assistant", { ...reply, content: [{ type: "tool_use", id, name, input }] });
      const content = [{ tool_use_id: id, type: "tool_result", content: "done", is_error: false }];
      add("user", { role: "user", content }, { toolUseResult: { stdout: "done", stderr: "", interrupted: false } });
    }
    // A session that goes on repeats lines.
    return [...written, ...written.slice(-2)].map((line) => `${JSON.stringify(line)}\n`).join("");
  };

  test("is read for `guards try`, which says first what it reads, then what it finds, each with its command", async () => {
    const folder = `~/.claude/projects/${desk.cwd.replace(/[^A-Za-z0-9]/g, "-")}`;
    const own = desk.write(
      `${folder}/3f2a.jsonl`,
      lines([
        ["Bash", { command: "npm test", description: "Run the tests" }],
        ["Bash", { command: "rm notes.txt", description: "Delete notes" }],
        ["Bash", { command: "rm notes.txt", description: "Again" }],
        ["Edit", { file_path: desk.path("~/.bashrc"), old_string: "a", new_string: "b" }],
        ["Monitor", { command: "rm -rf / --no-preserve-root", description: "Watch" }],
      ]),
    );
    const agent = desk.write(
      `${folder}/3f2a/subagents/agent-a1.jsonl`,
      lines([["Bash", { command: "kubectl delete namespace shop" }]], { isSidechain: true, agentId: "a1" }),
    );
    const kb = Math.ceil([own, agent].reduce((sum, path) => sum + readFileSync(path).length, 0) / 1000);
    const tried = await desk.hookline(["guards", "try", "commands"]);
    expect(desk.heard[0]).toBe(
      `Reads 2 recordings and sessions of this folder (2 of claude; ${kb} kB). Nothing is run or sent.\n`,
    );
    expect(tried.code).toBe(0);
    expect(tried.out).toMatch(/^commands, in 1 day and 6 calls: 2 refused, 3 asked, 0 passed with a note\.\n/);
    expect(
      tried.out
        .split("\n")
        .filter((line) => /^(?:refused|asked)/.test(line))
        .sort(),
    ).toEqual([
      "asked 2 times: rm notes.txt",
      "asked: kubectl delete namespace shop",
      `refused: edit ${desk.path("~/.bashrc")}`,
      "refused: rm -rf / --no-preserve-root",
    ]);
    expect(tried.out).toContain("  Not run. `rm notes.txt` would delete notes.txt, which exists nowhere else.");
    expect(existsSync(desk.path("notes.txt"))).toBe(true);
  });
});

describe("wrong inputs", () => {
  test("a name that there is not is answered with the nearest, and nothing is written", async () => {
    const { code, err } = await desk.hookline(["guards", "add", "commands", "comands"]);
    expect(code).toBe(2);
    expect(err).toContain('There is no guard "comands". Did you mean "commands"?');
    expect(existsSync(desk.path(FILE))).toBe(false);
  });

  test("a file that the person changed is neither overwritten nor deleted", async () => {
    desk.write(FILE, "export default [];\n");
    for (const verb of ["add", "remove"]) {
      const { code, err } = await desk.hookline(["guards", verb, "commands"]);
      expect(code).toBe(1);
      expect(err).toContain("was changed by you, and is not");
    }
    expect(desk.read(FILE)).toBe("export default [];\n");
  });

  test("a folder that cannot be written is named", async () => {
    desk.write("~/.hookline/guards", "a file");
    const { code, err } = await desk.hookline(["guards", "add", "commands"]);
    expect(code).toBe(1);
    expect(err).toMatch(/commands: ~\/\.hookline\/guards\/commands\.ts cannot be written: .*Make it writable/);
  });

  test("a guard that must run is not removed", async () => {
    await desk.hookline(["guards", "add", "commands"]);
    desk.write("~/.hookline/settings.json", `{ "required": ["${desk.path(FILE)}"] }`);
    const { code, err } = await desk.hookline(["guards", "remove", "commands"]);
    expect(code).toBe(1);
    expect(err).toContain("must run. Take it out of them first.");
    expect(existsSync(desk.path(FILE))).toBe(true);
  });

  test("a wrong value of a setting that tightens ends an unattended run", async () => {
    desk.write("~/.hookline/settings.json", '{ "guards": { "commands": { "level": "never" } } }');
    const { code, err } = await deletes();
    expect(code).toBe(1);
    expect(err).toContain('"guards.commands.level" must be one of note, ask, refuse');
    expect(existsSync(desk.path("notes.txt"))).toBe(true);
  });
});
