import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../../runtime/test/laws/clock.ts";
import { Announcer } from "../../src/presence/announcer.ts";
import { Backlog } from "../../src/presence/backlog.ts";
import { newNkey } from "../../src/sign/nkey.ts";
import { SpoolWriter } from "../../src/spool/writer.ts";
import { keyOf, NOW } from "../policy/sample.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-presence-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("it is said when the machine is connected, then about every 30 s, and not after the end", () => {
  const clock = new ManualClock();
  const said: { subject: string; t: number }[] = [];
  let connect = (): void => {};
  const announcer = new Announcer({
    link: {
      serve(listen) {
        connect = () => listen(undefined as never);
      },
      publish: (subject, data) => said.push({ subject, t: JSON.parse(data.toString()).t }),
    },
    creds: { fleet: "acme", machine: "m1", token: "t", key: newNkey("user") },
    clock,
    facts: () => ({ hookline: "1", channel: "stable", bundle: { version: 1, digest: "0".repeat(64), hooks: 1 } }),
  });
  clock.advance(100_000);
  expect(said).toEqual([]);
  connect();
  expect(said.map(({ subject }) => subject)).toEqual(["$KV.hl_acme_presence.m1"]);
  for (let n = 2; n < 20; n++) {
    clock.advance(20_999);
    expect(said).toHaveLength(n - 1);
    clock.advance(18_001);
    expect(said).toHaveLength(n);
    // The next one counts from when this one was said.
    connect();
    said.pop();
  }
  announcer.close();
  clock.advance(1_000_000);
  connect();
  expect(said).toHaveLength(19);
});

test("the backlog is what was not acknowledged, and follows the spool as it grows", async () => {
  const backlog = new Backlog(folder);
  expect(backlog.at(NOW)).toBeUndefined();
  const clock = { wall: () => NOW, now: () => NOW } as never;
  const writer = new SpoolWriter({ folder, fleet: "acme", machine: "m1", key: keyOf(7), token: "none", clock });
  writer.write("one\n");
  await writer.flush();
  const first = backlog.at(NOW + 5000);
  expect(first).toMatchObject({ batches: 1, oldestMs: 5000 });
  writer.write("two\n");
  await writer.flush();
  const { size } = { size: readFileSync(writer.place.recording).length };
  expect(backlog.at(NOW + 7000)).toEqual({ batches: 2, bytes: size, oldestMs: 7000 });
  writeFileSync(writer.place.acked, `{"n":1,"t":${NOW}}\n`);
  expect(backlog.at(NOW)).toMatchObject({ batches: 1, bytes: size - (first?.bytes ?? 0) });
  writeFileSync(writer.place.acked, `{"n":2,"t":${NOW}}\n`);
  expect(backlog.at(NOW + 9000)).toEqual({ batches: 0, bytes: 0, oldestMs: 0 });
  await writer.close();
});
