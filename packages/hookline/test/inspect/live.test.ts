import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { follow } from "./follow.ts";
import { folderForTest, linesOf, moment, session } from "./recorded.ts";
import { served } from "./served.ts";

test("a stream sends what comes, what changes, and that the file began anew", async () => {
  const path = join(folderForTest(), "s-1.jsonl");
  const lines = linesOf([...session(6), moment("tool.before", { outcome: { decision: "ask" } })], false);
  writeFileSync(path, lines.slice(0, -1).join(""));
  const server = await served([path]);
  const stream = follow(server, 2);
  const first = await stream.next();
  expect(first).toMatchObject({ kind: "moments", total: 6 });
  expect(first.kind === "moments" && first.items.map(({ n }) => n)).toEqual([3, 4, 5, 6]);
  expect(await stream.next()).toEqual({ kind: "state", live: false, moments: 6, damaged: 0 });

  // Half a line is no line.
  const last = lines.at(-1) as string;
  appendFileSync(path, last.slice(0, 30));
  appendFileSync(path, last.slice(30));
  expect(await stream.next()).toMatchObject({ kind: "moments", total: 7, items: [{ n: 7, decision: "ask" }] });
  expect(await stream.next()).toMatchObject({ kind: "state", moments: 7 });
  appendFileSync(path, '{"v":2,"n":7,"asked":{"answer":"deny","by":"person"}}\n');
  expect(await stream.next()).toMatchObject({ kind: "changed", item: { n: 7 } });
  const asked = (await server.get("/api/sources/ID/moments/7")).json;
  expect(asked.moment.asked).toEqual({ answer: "deny", by: "person" });

  appendFileSync(path, "no JSON at all\n");
  expect(await stream.next()).toMatchObject({ kind: "state", damaged: 1 });
  writeFileSync(path, linesOf([moment("turn.start")], false).join(""));
  expect(await stream.next()).toEqual({ kind: "gone" });
  stream.end();
});

test("a stream that is far behind gets windows", async () => {
  const path = join(folderForTest(), "s-1.jsonl");
  writeFileSync(path, linesOf(session(1100, 5), false).join(""));
  const server = await (await served([path])).indexed();
  const stream = follow(server, 0);
  const sizes: number[] = [];
  for (let seen = 0; seen < 1100; ) {
    const line = await stream.next();
    if (line.kind !== "moments") continue;
    sizes.push(line.items.length);
    seen += line.items.length;
  }
  expect(Math.max(...sizes)).toBe(500);
  stream.end();
});

test("no more than sixteen streams are served, and each that ends makes room", async () => {
  const path = join(folderForTest(), "s-1.jsonl");
  writeFileSync(path, linesOf(session(2), false).join(""));
  const server = await served([path]);
  const streams = Array.from({ length: 16 }, () => follow(server, 0));
  for (const stream of streams) await stream.next();
  expect((await server.get("/api/sources/ID/live")).status).toBe(429);
  for (const stream of streams) stream.end();
  await expect.poll(async () => (await server.get("/api/sources/ID/live", { method: "HEAD" })).status).toBe(200);
});

test("a session's file is followed as it grows, whoever writes it", async () => {
  const entry = (id: number, message: object): string =>
    `${JSON.stringify({ type: "message", id: `e${id}`, parentId: id === 1 ? null : `e${id - 1}`, timestamp: "2026-01-01T00:00:00.000Z", message })}\n`;
  const path = join(folderForTest(), "session.jsonl");
  const head = { type: "session", version: 3, id: "s-7", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/work" };
  const prompt = { role: "user", content: [{ type: "text", text: "list" }], timestamp: 1 };
  writeFileSync(path, `${JSON.stringify(head)}\n${entry(1, prompt)}`);
  const server = await served([path]);
  const stream = follow(server, 0);
  expect(await stream.next()).toMatchObject({ kind: "moments", items: [{ n: 1, event: "prompt.before" }] });
  expect(await stream.next()).toMatchObject({ kind: "state", moments: 1 });
  const call = { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } };
  const reply = entry(2, { role: "assistant", content: [call], model: "m", stopReason: "toolUse", timestamp: 2 });
  // Half a line is waited for.
  appendFileSync(path, reply.slice(0, 40));
  await expect.poll(async () => (await server.get("/api/sources/ID/summary")).json.torn).toBe(true);
  appendFileSync(path, reply.slice(40));
  // The call is told while its tool runs.
  expect(await stream.next()).toMatchObject({
    kind: "moments",
    items: [
      { n: 2, event: "model.context" },
      { n: 3, event: "tool.before", tool: "bash" },
    ],
  });
  expect(await stream.next()).toMatchObject({ kind: "state", moments: 3 });
  const content = [{ type: "text", text: "a b" }];
  const result = { role: "toolResult", toolCallId: "c1", toolName: "bash", content, isError: false, timestamp: 3 };
  appendFileSync(path, `no JSON\n${entry(3, result)}`);
  expect(await stream.next()).toMatchObject({ kind: "moments", items: [{ n: 4, event: "tool.after" }] });
  expect(await stream.next()).toMatchObject({ kind: "state", moments: 4, damaged: 1 });
  expect((await server.get("/api/sources/ID/moments/4")).json.line).toBe(5);
  const { parts } = (await server.get("/api/sources/ID/conversation/2")).json;
  expect(parts.map(({ text }: { text: string }) => text)).toEqual(["list"]);
  // Another file under its name is another session.
  writeFileSync(path, `${JSON.stringify(head)}\n`);
  expect(await stream.next()).toEqual({ kind: "gone" });
  expect((await server.get("/api/sources/ID/summary")).json.moments).toBe(0);
  stream.end();
});
