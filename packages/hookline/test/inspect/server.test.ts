import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FullValue } from "../../src/inspect/api.ts";
import { folderForTest, GUARD, linesOf, moment, session, writeRecording } from "./recorded.ts";
import { served } from "./served.ts";

describe("who may ask", () => {
  test("is the server's own page with the token, by GET and HEAD, and nobody else", async () => {
    const folder = folderForTest();
    const server = await served([writeRecording(folder, session(30))]);
    const { port, token } = server.inspector;
    const ok = await server.get("/api/sources");
    expect(ok.status).toBe(200);
    expect(ok.json.sources).toHaveLength(1);
    expect(ok.text).not.toContain(folder);

    for (const authorization of [
      undefined,
      "",
      "Bearer",
      `Basic ${token}`,
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `bearer ${token}`,
    ])
      expect((await server.get("/api/sources", { headers: { authorization } })).status).toBe(401);
    expect((await server.get(`/api/sources?t=${token}`, { headers: { authorization: undefined } })).status).toBe(401);

    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:${port + 1}`,
      `127.0.0.1:${port}.evil.example`,
      `[::1]:${port}`,
      `0.0.0.0:${port}`,
    ])
      expect((await server.get("/api/sources", { headers: { host } })).status).toBe(421);
    expect((await server.get("/", { headers: { host: "rebound.example" } })).status).toBe(421);
    expect((await server.get("/api/sources", { headers: { host: `localhost:${port}` } })).status).toBe(200);

    for (const origin of [
      "null",
      "http://evil.example",
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port + 1}`,
      `http://localhost:${port}`,
    ])
      expect((await server.get("/api/sources", { headers: { origin } })).status).toBe(403);
    const own = await server.get("/api/sources", { headers: { origin: `http://127.0.0.1:${port}` } });
    expect(own.status).toBe(200);
    expect(Object.keys(own.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(
      (await server.get("/api/sources", { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" } }))
        .status,
    ).toBe(403);

    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const refused = await server.get("/api/sources", { method });
      expect(refused.status).toBe(405);
      expect(refused.headers["allow"]).toBe("GET, HEAD");
    }
    const head = await server.get("/api/sources", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  test("says in every answer that nobody may frame, sniff, refer to or read it", async () => {
    const server = await served([]);
    for (const path of ["/", "/assets/page.js", "/api/sources", "/nothing"]) {
      const { headers } = await server.get(path, { headers: path === "/nothing" ? { host: "evil" } : {} });
      expect(headers).toMatchObject({
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      });
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      // The browser itself takes no text as markup or as a script.
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
      expect(headers["set-cookie"]).toBeUndefined();
    }
  });

  test("gets no file but the page's own, whatever the address", async () => {
    const folder = folderForTest();
    const server = await served([writeRecording(folder, session(3))]);
    expect((await server.get("/")).text).toContain("<title>page</title>");
    for (const path of [
      "/../package.json",
      "/%2e%2e/package.json",
      "/assets/../../package.json",
      "//etc/passwd",
      "/assets/",
      `/${folder}/s-1.jsonl`,
    ])
      expect((await server.get(path)).status).toBe(404);
    for (const id of ["..", "%2e%2e%2f", encodeURIComponent(join(folder, "s-1.jsonl")), "s-1", "0", "", "%00", "%ff"])
      expect((await server.get(`/api/sources/${id}/summary`)).status).toBe(404);
  });
});

describe("what is answered", () => {
  test("windows of at most 500, filtered by event, hook, tool, decision and text", async () => {
    const server = await (await served([writeRecording(folderForTest(), session(1200))])).indexed();
    const all = (await server.get("/api/sources/ID/moments?count=9999")).json;
    expect([all.total, all.items.length, all.from]).toEqual([1200, 500, 0]);
    const last = (await server.get("/api/sources/ID/moments?from=1190&count=50")).json;
    expect(last.items.map(({ n }: { n: number }) => n)).toEqual([
      1191, 1192, 1193, 1194, 1195, 1196, 1197, 1198, 1199, 1200,
    ]);
    const around = (await server.get("/api/sources/ID/moments?around=600&count=10")).json;
    expect(around.items.some(({ n }: { n: number }) => n === 600)).toBe(true);
    const refused = (await server.get("/api/sources/ID/moments?event=tool.*&decision=deny&count=500")).json;
    expect(refused.total).toBe(40);
    expect(refused.items[0]).toMatchObject({ event: "tool.before", decision: "deny", marks: ["answered", "refused"] });
    const guarded = (await server.get(`/api/sources/ID/moments?hook=${encodeURIComponent(GUARD)}&tool=bash`)).json;
    expect(guarded.total).toBeGreaterThan(0);
    expect(
      guarded.items.every(({ tool, asked }: { tool: string; asked: number }) => tool === "bash" && asked === 1),
    ).toBe(true);
    // The text of a prompt stands in its own moments, and not in every request that repeats it.
    const text = (await server.get("/api/sources/ID/moments?q=PROMPT%20150%20X")).json;
    expect(text.items.slice(0, 2).map(({ event }: { event: string }) => event)).toEqual([
      "prompt.before",
      "message.end",
    ]);
    expect(text.total).toBeLessThan(6);
    expect((await server.get("/api/sources/ID/moments?from=-1")).status).toBe(400);
    expect((await server.get("/api/sources/ID/moments/1201")).status).toBe(404);
    expect((await server.get("/api/sources/ID/moments/x")).status).toBe(400);
    const span = (await server.get("/api/sources/ID/timeline?columns=10")).json;
    const count = span.lanes.reduce((sum: number, lane: { count: number }) => sum + lane.count, 0);
    expect(count).toBe(1200);
    const summary = (await server.get("/api/sources/ID/summary")).json;
    expect(summary).toMatchObject({ moments: 1200, whole: true, torn: false, damaged: 0, live: false });
    expect(summary.events["tool.before"]).toBe(200);
    const { hooks } = (await server.get("/api/sources/ID/hooks")).json;
    expect(hooks.find(({ id }: { id: string }) => id === GUARD)).toMatchObject({ refused: 40, failed: 0 });
  });

  test("a moment of many megabytes with what was cut, which is had whole in pieces", async () => {
    const text = `${"é".repeat(3_000_000)}😀end`;
    const many = Array.from({ length: 9000 }, (_, at) => ({ at, text: "y".repeat(1500) }));
    const path = writeRecording(folderForTest(), [moment("input", { payload: { text, many } })]);
    const server = await served([path]);
    const answer = await server.get("/api/sources/ID/moments/1");
    expect(answer.text.length).toBeLessThan(8 * 1024 * 1024);
    const { moment: shown, cut } = answer.json;
    expect(text.startsWith(shown.payload.text)).toBe(true);
    const about = cut.find((one: { path: string }) => one.path === "/payload/text");
    expect(about).toMatchObject({ kind: "text", of: text.length, bytes: Buffer.byteLength(JSON.stringify(text)) });
    let whole = "";
    for (let from: number | undefined = 0; from !== undefined; ) {
      const { json } = await server.get(`/api/sources/ID/moments/1?full=/payload/text&from=${from}`);
      const piece: FullValue = json;
      whole += piece.text;
      from = piece.next;
    }
    expect(whole).toBe(text);
    expect((await server.get("/api/sources/ID/moments/1?full=/payload/__proto__")).status).toBe(404);
  });

  test("hostile texts and names as the very same texts, and no more than JSON", async () => {
    const hostile = [
      "</script><script>alert(1)</script>",
      "\u001b]0;title\u0007\u001b[2J",
      "\u2028\u2029",
      "\ud800",
      "__proto__",
      "$at",
    ];
    const payload = JSON.parse(`{"__proto__":"x","$at":5,"constructor":{"$list":1}}`);
    const path = writeRecording(
      folderForTest(),
      hostile.map((text) =>
        moment(text, {
          payload: { ...payload, tool: text, text },
          hooks: [{ id: text, lane: text, source: text, pass: 1, status: "answered", answer: { text } }],
          outcome: { reason: text },
        }),
      ),
    );
    const server = await served([path]);
    const { items } = (await server.get("/api/sources/ID/moments")).json;
    expect(items.map(({ event, tool }: { event: string; tool: string }) => [event, tool])).toEqual(
      hostile.map((text) => [text, text]),
    );
    for (const [at, text] of hostile.entries()) {
      const { headers, json } = await server.get(`/api/sources/ID/moments/${at + 1}`);
      expect(headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(json.moment.hooks[0].answer.text).toBe(text);
      expect(json.moment.payload.$at).toBe(5);
    }
    const summary = await server.get("/api/sources/ID/summary");
    expect(Object.keys(summary.json.events).sort()).toEqual([...hostile].sort());
    const found = (await server.get(`/api/sources/ID/moments?q=${encodeURIComponent("</SCRIPT>")}`)).json;
    expect(found.total).toBe(1);
  });

  test("a file cut in the middle up to its last whole line, and the rest when it comes", async () => {
    const path = join(folderForTest(), "s-1.jsonl");
    const whole = linesOf(session(10)).join("");
    writeFileSync(path, whole.slice(0, -80));
    const server = await served([path]);
    const cut = (await server.get("/api/sources/ID/summary")).json;
    expect(cut).toMatchObject({ torn: true, whole: false, damaged: 0 });
    expect(cut.moments).toBeLessThan(10);
    appendFileSync(path, whole.slice(-80));
    const grown = (await server.get("/api/sources/ID/summary")).json;
    expect(grown).toMatchObject({ moments: 10, torn: false, whole: true });
    // Another file under the same name is read anew.
    writeFileSync(path, linesOf(session(2)).join(""));
    expect((await server.get("/api/sources/ID/summary")).json.moments).toBe(2);
  });
});
