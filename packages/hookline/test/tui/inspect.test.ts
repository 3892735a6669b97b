import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Moments, Sources, Summary } from "../../src/inspect/api.ts";
import { Opener } from "../inspect/opener.ts";
import { Sitting } from "../support/sitting.ts";
import { LARGE } from "../support/terminal.ts";

const GUARD = `export default function (pi) {
  pi.on("tool_call", (event) => /rm -rf/.test(event.input.command) ? { block: true, reason: "no rm -rf here" } : undefined);
}
`;

test.skipIf(process.platform !== "linux")(
  "/inspect shows the running session in the browser and switches nothing on, and `record` records it from then on",
  async () => {
    const opener = new Opener();
    const replies = [
      { toolCalls: [{ name: "bash", arguments: { command: "rm -rf build" } }] },
      { text: "I was not allowed to." },
      { toolCalls: [{ name: "bash", arguments: { command: "echo again" } }] },
      { text: "This is only remembered." },
      { text: "This is recorded." },
      { text: "Another session.", repeat: true },
    ];
    const files = { "~/.pi/agent/extensions/guard.ts": GUARD };
    await using sitting = await Sitting.start({ size: LARGE, replies, files, env: opener.env });
    const { terminal } = sitting;
    sitting.say("clean up");
    await terminal.until("I was not allowed to.");
    await sitting.idle();
    sitting.say("/inspect");
    await terminal.until("The inspector opens in your browser");
    await terminal.until("Nothing is recorded, so payloads are not shown");
    const [address, port, token] = /http:\/\/127\.0\.0\.1:(\d+)\/#t=([\w-]{43})/.exec(await terminal.history()) ?? [];
    const ask = async <T>(path: string): Promise<T> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`http://127.0.0.1:${port}/${path}`, { headers })).json() as Promise<T>;
    };

    await expect.poll(() => opener.opened().length).toBe(1);
    const [opened] = opener.opened();
    expect(opened?.args.join()).not.toContain(token);
    expect(opened?.page).toContain(address);
    expect(opened?.modes).toEqual(["600", "700"]);
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    const { open = "", sources } = await ask<Sources>("api/sources");
    expect(existsSync(opened?.args[0] as string)).toBe(false);
    expect(sources[0]).toMatchObject({ id: open, kind: "running", live: true });

    // The panel's moments are there, without payloads.
    const { items } = await ask<Moments>(`api/sources/${open}/moments?decision=deny`);
    expect(items).toMatchObject([{ event: "tool.before", decision: "deny" }]);
    const refused = await ask<any>(`api/sources/${open}/moments/${items[0]?.n}`);
    expect(refused.moment.payload).toBeUndefined();
    expect(refused.moment.outcome.reason).toBe("no rm -rf here");
    expect(refused.missing.join()).toContain("before the recording began");
    // New moments are on the page too, and still nothing is recorded.
    const count = async (): Promise<number> => (await ask<Summary>(`api/sources/${open}/summary`)).moments;
    const before = await count();
    sitting.say("go on");
    await terminal.until("This is only remembered.");
    await expect.poll(count).toBeGreaterThan(before);
    expect(existsSync(join(sitting.home, ".hookline/recordings"))).toBe(false);

    // From when somebody wants it, everything is there.
    sitting.say("/inspect record");
    await terminal.until("Everything is recorded from now on");
    sitting.say("go on");
    await terminal.until("This is recorded.");
    await expect
      .poll(async () => (await ask<Moments>(`api/sources/${open}/moments?q=This%20is%20recorded`)).total)
      .toBeGreaterThan(0);

    sitting.say("/new");
    await expect.poll(async () => (await ask<Summary>(`api/sources/${open}/summary`)).live).toBe(false);
    const { goneOn = "" } = await ask<Summary>(`api/sources/${open}/summary`);
    sitting.say("hello again");
    await terminal.until("Another session.");
    await expect
      .poll(async () => (await ask<Moments>(`api/sources/${goneOn}/moments?q=hello%20again`)).total)
      .toBeGreaterThan(0);
    const after = await ask<Sources>("api/sources");
    expect(after.open).toBe(goneOn);
    expect(after.sources.map(({ id, live }) => [id, live]).slice(0, 2)).toEqual([
      [goneOn, true],
      [open, false],
    ]);
    expect(after.sources[1]?.title).toBe("clean up");

    // Asked for again it is the same server, opened again.
    sitting.say("/inspect");
    await terminal.until("Everything is being recorded in");
    await expect.poll(() => opener.opened().length).toBe(2);
    const [, again] = opener.opened();
    expect(again?.page).toContain(address);
    expect(await sitting.leave()).toBe(0);
    await expect(ask("api/sources")).rejects.toThrow();
    await expect.poll(() => existsSync(again?.args[0] as string)).toBe(false);
  },
);
