import { appendFileSync, statSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Desk } from "./desk.ts";

let desk: Desk;
let id: string;

beforeAll(async () => {
  desk = new Desk();
  const toolCalls = [{ name: "bash", arguments: { command: "printf '```here'" } }];
  const script = desk.write(
    "script.json",
    JSON.stringify({ replies: [{ toolCalls }, { text: "all \u001b[31mdone", repeat: true }] }),
  );
  await desk.hookline(["--script", script, "-p", "first words"]);
  const { json } = await desk.hookline(["sessions", "--json"]);
  id = json.sessions[0].id;
});

afterAll(() => desk.remove());

test("list tells of the sessions of this folder, --all of every one", async () => {
  const { json } = await desk.hookline(["sessions", "list", "--json"]);
  expect(json.sessions).toMatchObject([
    {
      id,
      cwd: desk.cwd,
      messageCount: 4,
      firstMessage: "first words",
      path: expect.stringMatching(/\.jsonl$/),
      created: expect.any(String),
      modified: expect.any(String),
    },
  ]);
  expect((await desk.hookline(["sessions"])).out).toContain("first words");
  const elsewhere = ["--cwd", desk.home];
  expect((await desk.hookline(["sessions", ...elsewhere])).out).toBe("There is no session yet.\n");
  expect((await desk.hookline(["sessions", "--all", "--json", ...elsewhere])).json.sessions).toHaveLength(1);
});

test("show prints the conversation, with calls and results", async () => {
  const { out } = await desk.hookline(["sessions", "show", id.slice(0, 12)]);
  expect(out).toMatch(/## user\n\nfirst words\n/);
  expect(out).toMatch(/## assistant\n\n`bash` \{"command":"printf '```here'"\}\n/);
  expect(out).toMatch(/## bash\n\n````\n```here\n````\n/);
  expect(out).toMatch(/## assistant\n\nall .*done/);
  const onTerminal = await desk.hookline(["sessions", "show", id], { types: "" });
  expect(onTerminal.out).not.toContain("\u001b");
  const { json } = await desk.hookline(["sessions", "show", id, "--json"]);
  expect(json.header.id).toBe(id);
  expect(json.entries.length).toBeGreaterThanOrEqual(4);
});

test("export writes a page where the file is called one", async () => {
  await desk.hookline(["sessions", "export", id, "talk.html"]);
  const page = desk.read("talk.html");
  expect(page).toMatch(/^<!doctype html>/);
  expect(page).toContain("<pre>first words</pre>");
  expect(page).not.toContain("## user");
});

test("export writes Markdown or the session's own lines to a private file, and overwrites nothing", async () => {
  const markdown = await desk.hookline(["sessions", "export", id, "talk.md"]);
  expect([markdown.code, markdown.out]).toEqual([0, `${desk.path("talk.md")}\n`]);
  expect(desk.read("talk.md")).toBe((await desk.hookline(["sessions", "export", id])).out);
  expect(statSync(desk.path("talk.md")).mode & 0o077).toBe(0);
  await desk.hookline(["sessions", "export", id, "talk.jsonl"]);
  expect(JSON.parse(desk.read("talk.jsonl").split("\n")[0] ?? "")).toMatchObject({ type: "session", id });
  const again = await desk.hookline(["sessions", "export", id, "talk.md"]);
  expect([again.code, again.err]).toEqual([1, expect.stringMatching(/not overwritten/)]);
});

test("unreadable lines of a damaged session are reported, and the rest is shown", async () => {
  const { json } = await desk.hookline(["sessions", "--json"]);
  const [{ path }] = json.sessions;
  appendFileSync(path, 'no JSON\n{"torn');
  const { code, out, err } = await desk.hookline(["sessions", "show", id]);
  expect({ code, err }).toEqual({
    code: 0,
    err: `Session file ${path} is damaged: 1 damaged line was skipped, its last line is incomplete. Everything else was read; fork the session to continue in a clean file.\n`,
  });
  expect(out).toContain("first words");
  const again = await desk.hookline(["--script", desk.path("script.json"), "--session", path, "-p", "more"]);
  expect(again.code).toBe(0);
  expect(again.err.match(/is damaged: 1 damaged line was skipped, its last line is incomplete/g)).toHaveLength(1);
});
