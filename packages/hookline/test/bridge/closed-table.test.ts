import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { daemonPlace, goesOn, lineOfPath, makeRunFolder, realOf } from "../../../bridge/src/client/place.ts";
import { ClosedTable } from "../../../bridge/src/daemon/closed-table.ts";
import type { Looked } from "../../../bridge/src/daemon/looked.ts";
import { rig } from "../../../bridge/test/fixtures/rig.ts";
import { type Opened, opened } from "./support/opened.ts";

const LISTENS = `export default (pi) => pi.on("input", () => {});`;
const CHIBI = '#!/bin/sh\necho \'{"name": "x", "hooks": ["pre_message"]}\'\n';

/** Files that decide which hooks run, in each place of each dialect, and what they may hold. */
const DECIDING: Readonly<Record<string, string>> = {
  "~/.pi/agent/extensions/new.ts": LISTENS,
  "~/.pi/agent/extensions/folder/index.ts": LISTENS,
  "~/.pi/agent/lib/lib.ts": "export const word = 2;",
  "~/.pi/agent/settings.json": '{"extensions": ["/x.ts"]}',
  ".pi/extensions/new.ts": LISTENS,
  ".pi/settings.json": "{}",
  "~/.omp/agent/extensions/new.ts": LISTENS,
  "~/.omp/agent/hooks/pre/new.ts": LISTENS,
  "~/.omp/agent/config.yml": "a: 1\n",
  ".omp/extensions/new.ts": LISTENS,
  ".omp/hooks/pre/new.ts": LISTENS,
  "~/.jdata/agent/hooks.yaml": "pre_send_message:\n  - command: 'true'\n",
  "~/.jdata/agent/hooks/named/hook.yaml": "command: 'true'\n",
  ".jcli/hooks.yaml": "pre_send_message:\n  - command: 'true'\n",
  "~/.chibi/plugins/new": CHIBI,
  "~/.claude/settings.json": '{"hooks": {}}',
  ".claude/settings.json": "{}",
  ".claude/settings.local.json": "{}",
  "~/.claude/plugins/installed_plugins.json": "{}",
  "~/.hookline/settings.json": '{"required": ["x"]}',
  "~/.hookline/hooks.yaml": "pre_send_message:\n  - command: 'true'\n",
  "~/.hookline/extensions/new.ts": LISTENS,
  "~/.hookline/plugins/new": CHIBI,
  "~/.hookline/trust.json": "{}",
  ".hookline/settings.json": "{}",
  ".hookline/hooks.yaml": "pre_send_message:\n  - command: 'true'\n",
  ".hookline/extensions/new.ts": LISTENS,
  ".hookline/plugins/new": CHIBI,
  "hookline.lock": "{}",
  "~/.hookline/fleet/fleet.json": "{}",
};

/** A session over a home with a guard, and the table that its daemon would write. */
async function tabled(): Promise<{ readonly at: Opened; isOpen(event?: string): boolean }> {
  let text: string | undefined;
  const at = opened(undefined, (table) => (text = table.text));
  at.write(
    "~/.pi/agent/extensions/guard.ts",
    `import "../lib/lib.ts";\nexport default (pi) => pi.on("tool_call", () => {});`,
  );
  at.write("~/.pi/agent/lib/lib.ts", "export const word = 1;");
  for (const path of Object.keys(DECIDING)) mkdirSync(dirname(fullPath(at, path)), { recursive: true });
  rmSync(join(at.home, ".hookline/fleet"), { recursive: true });
  // A change within a tick of the clock before the search counts as one during it.
  await wait(50);
  await at.ask("Before", { args: { command: "ls" } });
  const home = realOf(join(at.home, ".hookline"));
  const place = daemonPlace(home, at.cwd, {});
  makeRunFolder(place.folder);
  writeFileSync(place.table, text ?? "", { mode: 0o600 });
  const isOpen = (event = "Prompt"): boolean =>
    goesOn({ place, host: "rig", event, home, env: { HOME: at.home } }) !== undefined;
  return { at, isOpen };
}

function fullPath(at: Opened, path: string): string {
  return path.startsWith("~/") ? join(at.home, path.slice(2)) : join(at.cwd, path);
}

describe("the table that a daemon leaves", () => {
  test("is believed while nothing has changed, and names what hooks guard", async () => {
    const { at, isOpen } = await tabled();
    expect([isOpen("Prompt"), isOpen("Before"), isOpen("Compact")]).toEqual([true, false, true]);
    // Files that hooks and agents write all the time change nothing.
    for (const path of ["notes.txt", "src/a.ts", "~/notes.txt", "~/.hookline/log.txt", "~/.claude/history.jsonl"])
      at.write(path, "x");
    expect(isOpen()).toBe(true);
  });

  test.for(Object.entries(DECIDING))("is void once there is another %s", async ([path, text]) => {
    const { at, isOpen } = await tabled();
    expect(isOpen()).toBe(true);
    chmodSync(at.write(path, text), 0o755);
    expect(isOpen()).toBe(false);
  });

  const looked = (variables: readonly string[] = ["env HOME=/h"], more: Partial<Looked> = {}): Looked => ({
    paths: new Map([["/a", lineOfPath("/a")]]),
    variables,
    isSteady: true,
    ...more,
  });
  const session = (listens: readonly string[], of: Looked | undefined = looked(), refusal?: string) => ({
    host: rig,
    session: {
      refusal,
      looked: of,
      listens: (moments: readonly string[]) => moments.some((moment) => listens.includes(moment)),
      isHeld: (moments: readonly string[]) => moments.includes("tool.before"),
    },
  });
  const words = (...all: ReturnType<typeof session>[]): string | undefined =>
    new ClosedTable(all).text?.split("\n").find((line) => line.endsWith(" rig Prompt"));

  test("says what any session guards, and nothing where sessions differ in what moves places", () => {
    expect(words(session([]))).toBe("open rig Prompt");
    expect(words(session([]), session(["prompt.before"]))).toBe("own rig Prompt");
    expect(words(session([]), session([], looked(), "x"))).toBe("closed rig Prompt");
    expect(words(session([]), session([], looked(["env HOME=/other"])))).toBeUndefined();
    expect(words(session([], looked(undefined, { isSteady: false })))).toBeUndefined();
    const unknown = { ...session([]).session, looked: undefined } as unknown as ReturnType<typeof session>["session"];
    expect(words({ host: rig, session: unknown })).toBeUndefined();
  });

  test("is not written where it would be too long, or a line of it could be taken for two", () => {
    const paths = (count: number) => new Map(Array.from({ length: count }, (_, n) => [`/${n}`, `absent /${n}`]));
    const rest = new ClosedTable([session([])]).text?.split("\n").length ?? 0;
    expect(words(session([], looked(undefined, { paths: paths(502 - rest) })))).toBeDefined();
    expect(words(session([], looked(undefined, { paths: paths(503 - rest) })))).toBeUndefined();
    const odd = new Map([["/a\nopen rig Before", "absent /a\nopen rig Before"]]);
    expect(words(session([], looked(undefined, { paths: odd })))).toBeUndefined();
  });
});
