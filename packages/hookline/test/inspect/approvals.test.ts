import { describe, expect, test } from "vitest";
import { FakeFleet } from "./desk.ts";
import { followApprovals } from "./follow.ts";
import { folderForTest, session, writeRecording } from "./recorded.ts";
import { type Asking, type Served, served } from "./served.ts";

const JSON_TYPE = { "content-type": "application/json" };

async function withFleet(): Promise<{ fleet: FakeFleet; server: Served }> {
  const fleet = new FakeFleet();
  return { fleet, server: await served([], undefined, fleet.approvals) };
}

/** Answers as the page does. */
const post = (server: Served, id: string, body: unknown = { answer: "allow" }, asking: Asking = {}) =>
  server.get(`/api/approvals/${id}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...asking,
    headers: { ...JSON_TYPE, ...asking.headers },
  });

describe("who may answer the fleet's questions", () => {
  test("is the server's own page with the token, by POST with JSON, and nobody else", async () => {
    const { fleet, server } = await withFleet();
    const { port, token } = server.inspector;
    const id = fleet.ask();
    const refused = async (status: number, asking: Asking, body?: unknown): Promise<void> => {
      const { status: got, json, headers } = await post(server, id, body, asking);
      expect(got, JSON.stringify(asking)).toBe(status);
      expect(json.error.message).toBeTruthy();
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    };
    for (const authorization of [undefined, "", `Bearer ${token}x`, `Basic ${token}`])
      await refused(401, { headers: { authorization } });
    for (const host of ["evil.example", `127.0.0.1:${port + 1}`, `[::1]:${port}`])
      await refused(421, { headers: { host } });
    for (const origin of ["null", "http://evil.example", `http://localhost:${port}`, `https://127.0.0.1:${port}`])
      await refused(403, { headers: { origin } });
    // A form of another page is a navigation; to read that is fine, to write is not.
    for (const mode of ["navigate", "no-cors", "cors"])
      await refused(403, { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": mode } });
    for (const type of [undefined, "", "text/plain", "application/x-www-form-urlencoded", "application/json; x=1"])
      await refused(415, { headers: { "content-type": type } });
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const { status, headers } = await server.get(`/api/approvals/${id}`, { method, headers: JSON_TYPE });
      expect([method, status, headers["allow"]]).toEqual([method, 405, "POST"]);
    }
    for (const path of ["/", "/api/sources", "/api/approvals", "/api/approvals/live", `/api/approvals/${id}/more`])
      expect((await server.get(path, { method: "POST", headers: JSON_TYPE, body: "{}" })).status).toBe(405);
    expect(fleet.sent).toEqual([]);

    const own = await post(server, id, undefined, { headers: { origin: `http://127.0.0.1:${port}` } });
    expect([own.status, own.json]).toEqual([200, { v: 1, id, taken: true, settled: { by: "boss", answer: "allow" } }]);
    expect(fleet.sent).toEqual([{ id, answer: "allow" }]);
  });

  test("says yes or no, with a reason or without, and nothing else", async () => {
    const { fleet, server } = await withFleet();
    const id = fleet.ask();
    for (const body of [
      "",
      "no JSON",
      "null",
      "[]",
      '"allow"',
      "{}",
      '{"answer":"yes"}',
      '{"answer":true}',
      '{"answer":"allow","answer":"deny"}',
      '{"answer":"allow","call":"ab"}',
      '{"answer":"deny","reason":5}',
      JSON.stringify({ answer: "deny", reason: "x".repeat(2001) }),
    ])
      expect([body, (await post(server, id, body)).status]).toEqual([body, 400]);
    expect((await post(server, id, { answer: "deny", reason: "x".repeat(20_000) })).status).toBe(413);
    expect(fleet.sent).toEqual([]);
    expect((await post(server, id, { answer: "deny", reason: " not <b>now</b> " })).status).toBe(200);
    const [second, third] = [fleet.ask(), fleet.ask()];
    expect((await post(server, second, { answer: "allow", reason: "" })).status).toBe(200);
    const type = { headers: { "content-type": "application/json; charset=utf-8" } };
    expect((await post(server, third, { answer: "deny", reason: "\u0001".repeat(2000) }, type)).status).toBe(200);
    expect(fleet.sent).toEqual([
      { id, answer: "deny", reason: "not <b>now</b>" },
      { id: second, answer: "allow" },
      { id: third, answer: "deny", reason: "\u0001".repeat(2000) },
    ]);
  });

  test("is nobody where this machine is no approver or belongs to no fleet", async () => {
    const because = "laptop-1 is enrolled as agent; only an approver may answer for the fleet.";
    const elsewhere = await served([], undefined, { state: "elsewhere", because });
    expect((await elsewhere.get("/api/sources")).json.approvals).toEqual({ state: "elsewhere", because });
    for (const answer of [
      await elsewhere.get("/api/approvals/live"),
      await post(elsewhere, "0000000000000001", { answer: "allow" }),
    ])
      expect([answer.status, answer.json.error.message]).toEqual([404, because]);
    const alone = await served([]);
    expect((await alone.get("/api/sources")).json).not.toHaveProperty("approvals");
    expect((await alone.get("/api/approvals/live")).status).toBe(404);
    expect((await post(alone, "0000000000000001", { answer: "allow" })).status).toBe(404);
  });
});

describe("an answer", () => {
  test("is sent for a question that is open, and for no other name", async () => {
    const { fleet, server } = await withFleet();
    fleet.ask({ id: "00000000000000aa" });
    for (const id of [
      "00000000000000AA",
      "0",
      "..%2ffleet%2fcreds",
      "%2e%2e%2ffleet%2fcreds",
      "__proto__",
      "%00",
      "%ff",
      "x".repeat(64),
    ])
      expect([id, (await post(server, id)).status]).toEqual([id, 404]);
    const over = fleet.ask({ settled: { by: "boss", answer: "allow" } }, "settled");
    expect((await post(server, over)).json.error).toMatchObject({ code: "over" });
    expect(fleet.sent).toEqual([]);
  });

  test("tells what came of it, and what was not sent", async () => {
    const { fleet, server } = await withFleet();
    const id = fleet.ask();
    const cases = [
      [{ state: "other", settled: { by: "(here)" } }, 200, { v: 1, id, taken: false, settled: { by: "(here)" } }],
      [{ state: "unconfirmed" }, 200, { v: 1, id, taken: false }],
      [{ state: "unknown" }, 404, { error: { code: "not-found" } }],
      [{ state: "expired" }, 409, { error: { code: "over" } }],
      [{ state: "busy" }, 409, { error: { code: "busy" } }],
      [{ state: "away", problem: "the connection was lost" }, 503, { error: { code: "away" } }],
    ] as const;
    for (const [outcome, status, body] of cases) {
      fleet.outcome = () => outcome;
      const answered = await post(server, id);
      expect(answered.status).toBe(status);
      expect(answered.json).toMatchObject(body);
    }
  });
});

test("a stream has all questions, what changes of them, and whether the fleet is there", async () => {
  const { fleet, server } = await withFleet();
  const place = { state: "here", fleet: "acme", approver: "boss" };
  expect((await server.get("/api/sources")).json.approvals).toEqual(place);
  // Nobody has looked, so nothing is connected.
  expect(fleet.opened).toBe(0);
  const hostile = "<img src=x onerror=alert(1)>\u001b[2J";
  const id = fleet.ask({ tool: hostile, args: { [hostile]: hostile }, reason: hostile, hooks: [hostile] });
  const stream = followApprovals(server);
  const first = await stream.next();
  expect(first).toMatchObject({
    kind: "question",
    question: { id, tool: hostile, args: { [hostile]: hostile }, hooks: [hostile], reason: hostile, state: "open" },
  });
  expect(await stream.next()).toEqual({ kind: "desk", full: false });
  const second = fleet.ask();
  expect(await stream.next()).toMatchObject({ kind: "question", question: { id: second, machine: "laptop-1" } });
  fleet.change(id, { state: "sent" });
  expect(await stream.next()).toMatchObject({ question: { id, state: "sent" } });
  fleet.change(id, { state: "settled" }, { settled: { by: "boss", answer: "deny" } });
  expect(await stream.next()).toMatchObject({
    question: { id, state: "settled", settled: { by: "boss", answer: "deny" } },
  });
  fleet.away = "the connection was lost";
  expect(await stream.next()).toEqual({ kind: "desk", away: "the connection was lost", full: false });
  fleet.away = undefined;
  fleet.isFull = true;
  expect(await stream.next()).toEqual({ kind: "desk", full: true });
  fleet.forget(id);
  expect(await stream.next()).toEqual({ kind: "gone", id });
  // Somebody who comes later has what there is.
  const other = followApprovals(server);
  expect(await other.next()).toMatchObject({ kind: "question", question: { id: second } });
  for (const one of [stream, other]) one.end();
  expect(fleet.opened).toBe(1);
  await server.inspector.close();
  await expect.poll(() => fleet.isClosed).toBe(true);
});

test("what a recording shows is not touched by them", async () => {
  const fleet = new FakeFleet();
  const server = await served([writeRecording(folderForTest(), session(3))], undefined, fleet.approvals);
  expect((await server.get("/api/sources/ID/summary")).json.moments).toBe(3);
  expect(fleet.opened).toBe(0);
});
