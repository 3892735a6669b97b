import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { hasScreen, openInBrowser } from "../../src/inspect/browser.ts";
import { FileList } from "../../src/inspect/file-list.ts";
import { breathe, startInspector } from "../../src/inspect/run.ts";
import { Opener } from "./opener.ts";

const TOKEN = "a-secret-of-256-bits-that-nobody-else-may-see";
const URL = `http://127.0.0.1:4711/#t=${TOKEN}`;

describe.skipIf(process.platform !== "linux")("the browser", () => {
  test("is given a file of its owner's, and the secret stands on nobody's command line", async () => {
    const opener = new Opener();
    const opening = openInBrowser(URL, opener.env, () => {});
    await expect.poll(() => opener.opened().length).toBe(1);
    const [{ args, page, modes } = { args: [], page: "", modes: [] }] = opener.opened();
    expect(args).toEqual([expect.stringMatching(/\/hookline-open-\w+\/inspector\.html$/)]);
    expect(page).toContain(`content="0;url=${URL}"`);
    expect(modes).toEqual(["600", "700"]);
    expect(existsSync(args[0] as string)).toBe(true);
    expect(commandLines().filter((line) => line.includes(TOKEN))).toEqual([]);
    opening.done();
    expect(existsSync(dirname(args[0] as string))).toBe(false);
  });

  test("cannot be opened where there is no program for it, or it fails, which is told; no file stays", async () => {
    const opener = new Opener(3);
    for (const [env, said] of [
      [{ PATH: "/nothing", DISPLAY: ":0" }, "xdg-open could not be started"],
      [opener.env, "xdg-open has ended with 3"],
    ] as const) {
      const problems: string[] = [];
      openInBrowser(URL, env, (problem) => problems.push(problem));
      await expect.poll(() => problems.join()).toContain(said);
      expect(problems.join()).not.toContain(TOKEN);
    }
    expect(existsSync(opener.opened()[0]?.args[0] as string)).toBe(false);
  });

  test("takes the file away with its first question, and not with one of a page that was open before", async () => {
    const opener = new Opener();
    const list = new FileList({ find: () => [], breathe });
    const inspector = await startInspector({ list, port: 0, env: opener.env, tell: () => {} });
    const { port, token } = inspector;
    const ask = async (path: string): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await response.text();
      return response.status;
    };
    const fileOf = async (time: number): Promise<string> => {
      expect(inspector.show()).toBe(true);
      await expect.poll(() => opener.opened().length).toBe(time);
      return opener.opened()[time - 1]?.args[0] as string;
    };
    try {
      const first = await fileOf(1);
      expect([await ask("/"), existsSync(first)]).toEqual([200, true]);
      expect([await ask("/api/sources"), existsSync(first)]).toEqual([200, false]);
      const second = await fileOf(2);
      expect([await ask("/api/sources"), existsSync(second)]).toEqual([200, true]);
      await ask("/");
      expect([await ask("/api/sources"), existsSync(second)]).toEqual([200, false]);
      const third = await fileOf(3);
      await inspector.close();
      expect(existsSync(third)).toBe(false);
    } finally {
      await inspector.close().catch(() => {});
      await list.close();
    }
  });
});

test("there is a browser where there is a screen", () => {
  expect(hasScreen({}, "linux")).toBe(false);
  expect(hasScreen({ DISPLAY: ":0" }, "linux")).toBe(true);
  expect(hasScreen({ WAYLAND_DISPLAY: "wayland-0" }, "linux")).toBe(true);
  expect(hasScreen({}, "darwin")).toBe(true);
  expect(hasScreen({}, "win32")).toBe(true);
});

/** Returns the command lines of all programs on this machine, which anybody can read. */
function commandLines(): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, "utf8")] : [];
    } catch {
      return [];
    }
  });
}
