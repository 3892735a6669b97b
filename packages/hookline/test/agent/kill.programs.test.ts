import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SessionManager } from "../../src/session/session.ts";
import { startProgram } from "./program.ts";

const write = (name: string) => ({ toolCalls: [{ name: "write", arguments: { path: name, content: name } }] });
const replies = () => [write("a"), { toolCalls: [...write("b").toolCalls, ...write("c").toolCalls] }, { text: "done" }];

/** The session file of a home, if there is one yet. */
function sessionFile(home: string): string | undefined {
  const root = join(home, ".hookline/sessions");
  const [folder] = existsSync(root) ? readdirSync(root) : [];
  const name = folder && readdirSync(join(root, folder)).find((one) => one.endsWith(".jsonl"));
  return folder && name ? join(root, folder, name) : undefined;
}

test.each([4, 6, 8, 9, 11, 14, 16, 18, 20])(
  "killed at event %i: what was told of is kept, and the next request is whole",
  async (count) => {
    const program = await startProgram({ replies: replies(), args: ["--mode", "json", "Write"] });
    const seen: any[] = [];
    await program.line(() => {
      const events = program.lines.filter(({ type }) => type !== "message_update");
      seen.splice(0, seen.length, ...events);
      return events.length >= count;
    });
    program.child.kill("SIGKILL");
    await program.finished;
    const told = seen.slice(0, count).flatMap(({ type, message }) => (type === "message_end" ? [message] : []));

    const path = sessionFile(program.home);
    if (told.some(({ role }) => role === "assistant")) expect(path).toBeDefined();
    if (path === undefined) return;
    const lines = readFileSync(path, "utf8").split("\n");
    expect(lines.pop()).toBe("");
    const kept = lines
      .map((line) => JSON.parse(line))
      .flatMap(({ message }) => (message === undefined ? [] : [message]));
    expect(kept.slice(0, told.length)).toEqual(told);

    const bodies: any[] = [];
    const again = await startProgram({
      replies: ({ body }) => {
        bodies.push(body);
        return { text: "went on" };
      },
      args: ["--session", path, "-p", "Go on"],
    });
    expect(await again.finished).toMatchObject({ code: 0, out: "went on\n" });
    const open = new Set<string>();
    for (const message of bodies[0].messages) {
      if (message.role === "tool") expect(open.delete(message.tool_call_id)).toBe(true);
      else expect([...open]).toEqual([]);
      for (const call of message.tool_calls ?? []) open.add(call.id);
    }
    expect([...open]).toEqual([]);
    expect(SessionManager.open(path).buildSessionContext().messages.at(-1)).toMatchObject({ role: "assistant" });
  },
);
