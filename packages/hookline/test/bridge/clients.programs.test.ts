import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { abouts } from "@hookline/integrations/abouts";
import { MOVING } from "@hookline/integrations/hosts";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeRunFolder } from "../../../bridge/src/client/place.ts";
import { ClosedTable } from "../../../bridge/src/daemon/closed-table.ts";
import { Looking } from "../../../bridge/src/daemon/looked.ts";
import { rig } from "../../../bridge/test/fixtures/rig.ts";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { CLIENTS, hasClient, riggedWith, type Verdict, verdictOf } from "./support/clients.ts";
import type { Rigged } from "./support/rigged.ts";

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
/** Far from the limits of a pause. */
const HALF_AN_HOUR_S = 1800;

const ABSENT = "no daemon could be reached in time";
const OTHERS = "other users can use the socket's folder";
const LINK = "the socket's folder is a link, or not a folder";
const note = /^hookline: guards are paused until \d\d:\d\d UTC; this event was not judged$/;

interface Case {
  readonly name: string;
  /** A change since the daemon wrote its table. */
  readonly change?: (at: Rigged) => unknown;
  readonly env?: (at: Rigged) => Record<string, string>;
  /** Default: the last daemon knew of no guard for it. */
  readonly event?: string;
  /** Why the event is refused; nothing where it goes on. */
  readonly because?: string;
  readonly paused?: true;
  readonly needsRoot?: true;
  readonly deadlineMs?: number;
  readonly home?: string;
}

const edit = (at: Rigged, how: (text: string) => string): void =>
  writeFileSync(at.place.table, how(readFileSync(at.place.table, "utf8")));
const pauseFile = (at: Rigged): string => join(at.hooklineHome, "run/bridge/pause");
/** Puts a pause in place, in seconds from now. */
const pause = (at: Rigged, text = lasting(-60, HALF_AN_HOUR_S)): string => {
  mkdirSync(join(at.hooklineHome, "run/bridge"), { recursive: true, mode: 0o700 });
  writeFileSync(pauseFile(at), text, { mode: 0o600 });
  return pauseFile(at);
};
const lasting = (from: number, until: number): string => {
  const now = Math.floor(Date.now() / 1000);
  return `from ${now + from} until ${now + until}\n`;
};
/** Puts a link to what is at a path into its place. */
const linked = (path: string): void => {
  renameSync(path, `${path}.real`);
  symlinkSync(`${path}.real`, path);
};
const listening = async (path: string): Promise<void> => {
  const server = createServer((connection) => connection.end(Buffer.from("\0\0\0\x010\0\0\0\x02{}\0\0\0\0")));
  await once(server.listen(path), "listening");
  chmodSync(path, 0o600);
  onTestFinished(() => void server.close());
};
const line = /^at .* (\S*settings\.json)$/m;
/** The line of the settings with one of its numbers changed. */
const withOther = (at: number) => (text: string) =>
  text.replace(line, (whole) =>
    whole
      .split(" ")
      .map((word, i) => (i === at ? `${word}1` : word))
      .join(" "),
  );

/** The cases of a client without a daemon, the same for each client. */
const CASES: readonly Case[] = [
  { name: "nothing has changed" },
  { name: "nothing has changed, for an event with a guard", event: "Before", because: ABSENT },
  { name: "nothing has changed, for an event with a guard of the person", event: "Compact", because: ABSENT },
  { name: "an event that nobody waits for", event: "After" },
  { name: "an event that the daemon does not know", event: "Other", because: ABSENT },
  { name: "no table", change: (at) => rmSync(at.place.table), because: ABSENT },

  // Owners and modes.
  {
    name: "another user's folder",
    change: (at) => chownSync(at.place.folder, NOBODY, NOBODY),
    because: OTHERS,
    needsRoot: true,
  },
  {
    name: "another user's table",
    change: (at) => chownSync(at.place.table, NOBODY, NOBODY),
    because: ABSENT,
    needsRoot: true,
  },
  {
    name: "another user's socket",
    async change(at) {
      await listening(at.place.socket);
      chownSync(at.place.socket, NOBODY, NOBODY);
    },
    because: "other users can use the socket",
    needsRoot: true,
  },
  { name: "a folder that a group may read", change: (at) => chmodSync(at.place.folder, 0o750), because: OTHERS },
  { name: "a folder that anybody may write", change: (at) => chmodSync(at.place.folder, 0o777), because: OTHERS },
  { name: "a table that a group may write", change: (at) => chmodSync(at.place.table, 0o620), because: ABSENT },
  { name: "a table that others may read", change: (at) => chmodSync(at.place.table, 0o604), because: ABSENT },
  {
    name: "a socket that others may use",
    async change(at) {
      await listening(at.place.socket);
      chmodSync(at.place.socket, 0o666);
    },
    because: "other users can use the socket",
  },
  { name: "a link in the place of the folder", change: (at) => linked(at.place.folder), because: LINK },
  { name: "a link in the place of the table", change: (at) => linked(at.place.table), because: ABSENT },
  {
    name: "a link in the place of the socket",
    change: (at) => symlinkSync("/dev/null", at.place.socket),
    because: "the file at the socket's path is not a socket",
  },
  {
    name: "a table with a second name",
    change: (at) => linkSync(at.place.table, `${at.place.table}.2`),
    because: ABSENT,
  },
  {
    name: "a file in the place of the folder",
    change(at) {
      rmSync(at.place.folder, { recursive: true });
      writeFileSync(at.place.folder, "", { mode: 0o600 });
    },
    because: LINK,
  },
  {
    name: "a pipe in the place of the table",
    change(at) {
      rmSync(at.place.table);
      execFileSync("mkfifo", ["-m", "600", at.place.table]);
    },
    because: ABSENT,
  },
  {
    name: "a folder in the place of the table",
    change(at) {
      rmSync(at.place.table);
      mkdirSync(at.place.table, { mode: 0o700 });
    },
    because: ABSENT,
  },
  { name: "a long home, whose folder is under /tmp", home: `${"n".repeat(60)}/home` },
  {
    name: "a long home, whose folder under /tmp is another user's",
    home: `${"n".repeat(60)}/home`,
    change: (at) => chownSync(at.place.folder, NOBODY, NOBODY),
    because: OTHERS,
    needsRoot: true,
  },

  // The form of the table.
  {
    name: "a table that was cut off",
    change: (at) => truncateSync(at.place.table, readFileSync(at.place.table).length - 1),
    because: ABSENT,
  },
  {
    name: "a table that was cut off behind a line",
    change: (at) => edit(at, (text) => text.replace("end\n", "")),
    because: ABSENT,
  },
  { name: "an empty table", change: (at) => truncateSync(at.place.table, 0), because: ABSENT },
  { name: "a table of 0.2.0", change: (at) => edit(at, () => "open rig Prompt\n"), because: ABSENT },
  {
    name: "a table of a later version",
    change: (at) => edit(at, (text) => text.replace("table 2", "table 3")),
    because: ABSENT,
  },
  {
    name: "noise in the place of a table",
    change: (at) => edit(at, () => "\u0001\uffff\n".repeat(20)),
    because: ABSENT,
  },
  {
    name: "a line that nobody knows",
    change: (at) => edit(at, (text) => text.replace("end\n", "open\nend\n")),
    because: ABSENT,
  },
  {
    name: "a NUL in the table",
    change: (at) => edit(at, (text) => text.replace("end\n", "env A\0B\nend\n")),
    because: ABSENT,
  },
  {
    name: "bytes behind its end",
    change: (at) => appendFileSync(at.place.table, "open rig Prompt\n"),
    because: ABSENT,
  },
  {
    name: "an event that is named twice",
    change: (at) => edit(at, (text) => text.replace("end\n", "closed rig Prompt\nend\n")),
    because: ABSENT,
  },
  {
    name: "a table of 500 lines",
    change: (at) =>
      edit(at, (text) => text.replace("end\n", `${"open rig X\n".repeat(500 - text.split("\n").length + 1)}end\n`)),
  },
  {
    name: "a table of 501 lines",
    change: (at) =>
      edit(at, (text) => text.replace("end\n", `${"open rig X\n".repeat(501 - text.split("\n").length + 1)}end\n`)),
    because: ABSENT,
  },
  ...["device", "inode", "size", "time of change"].map((what, i) => ({
    name: `a table with another ${what} of a file`,
    change: (at: Rigged) => edit(at, withOther(i + 1)),
    because: ABSENT,
  })),

  // Paths that were looked at.
  { name: "a hook file that was added", change: (at) => at.write("~/.jdata/agent/hooks.yaml", ""), because: ABSENT },
  {
    name: "a hook file in a folder that was there",
    change: (at) => at.write("~/.pi/agent/extensions/new.ts", ""),
    because: ABSENT,
  },
  {
    name: "settings that were changed",
    change: (at) => at.write("~/.hookline/settings.json", '{"required": ["x"]}'),
    because: ABSENT,
  },
  {
    name: "settings of the same size and the same time",
    change(at) {
      const path = at.write("~/.hookline/settings.json", "[]");
      utimesSync(path, 1, 1);
    },
    because: ABSENT,
  },
  {
    name: "settings that were replaced",
    change(at) {
      const path = at.write("~/.hookline/other.json", "{}");
      renameSync(path, join(at.hooklineHome, "settings.json"));
    },
    because: ABSENT,
  },
  {
    name: "settings that were removed",
    change: (at) => rmSync(join(at.hooklineHome, "settings.json")),
    because: ABSENT,
  },
  { name: "a managed file that appeared", change: (at) => at.write("managed/settings.json", "{}"), because: ABSENT },
  {
    name: "the project's settings behind a link",
    change: (at) => symlinkSync("/dev/null", join(at.project, ".hookline.json")),
    because: ABSENT,
  },
  { name: "a fleet that was joined", change: (at) => at.write("~/.hookline/fleet/fleet.json", "{}"), because: ABSENT },
  {
    name: "a fleet's file that leads nowhere",
    change(at) {
      mkdirSync(join(at.hooklineHome, "fleet"));
      symlinkSync("nowhere", join(at.hooklineHome, "fleet/fleet.json"));
    },
    because: ABSENT,
  },

  // Variables that move places.
  { name: "a fleet in the environment", env: () => ({ HOOKLINE_FLEET_URL: "" }), because: ABSENT },
  { name: "another HOME", env: (at) => ({ HOME: at.top }), because: ABSENT },
  { name: "another HOOKLINE_HOME", env: (at) => ({ HOOKLINE_HOME: at.top }), because: ABSENT },
  { name: "HOOKLINE_HOME as it is", env: (at) => ({ HOOKLINE_HOME: `${at.home}/./.hookline` }) },
  ...[...Object.values(abouts).flatMap(({ movedBy }) => movedBy), "XDG_CONFIG_HOME", "XDG_DATA_HOME"].map((name) => ({
    name: `${name}, which was not set`,
    env: () => ({ [name]: "/tmp" }),
    because: ABSENT,
  })),
  { name: "XDG_RUNTIME_DIR, where there is no table", env: (at) => ({ XDG_RUNTIME_DIR: at.top }), because: ABSENT },
  { name: "a variable that moves nothing", env: () => ({ LANG: "C", TERM: "x" }) },

  // The pause.
  { name: "a pause, for a guard of the person", event: "Compact", change: pause, paused: true },
  { name: "a pause, for a guard of somebody else", event: "Before", change: pause, because: ABSENT },
  {
    name: "a pause without a table",
    event: "Compact",
    change(at) {
      pause(at);
      rmSync(at.place.table);
    },
    because: ABSENT,
  },
  {
    name: "a pause, with a hook file that was added",
    event: "Compact",
    change(at) {
      pause(at);
      at.write("~/.jdata/agent/hooks.yaml", "");
    },
    because: ABSENT,
  },
  {
    name: "a pause that was renewed",
    event: "Compact",
    change(at) {
      pause(at, lasting(-1900, -100));
      pause(at);
    },
    paused: true,
  },
  {
    name: "a pause of an hour",
    event: "Compact",
    change: (at) => pause(at, lasting(-1800, 1800)),
    paused: true,
  },
  ...(
    [
      ["that is over", () => lasting(-60, -1)],
      ["that ends now", () => lasting(-60, 0)],
      ["that has not begun", () => lasting(1800, 3000)],
      ["that ends before it begins", () => lasting(-60, -120)],
      ["of more than an hour", () => lasting(-1800, 1801)],
      ["with a line too many", () => `${lasting(-60, 1800)}x\n`],
      ["with a NUL behind it", () => `${lasting(-60, 1800)}\0`],
      ["without its line's end", () => lasting(-60, 1800).trim()],
      ["of which half was written", () => lasting(-60, 1800).slice(0, 20)],
      ["without its beginning", () => lasting(-60, 1800).replace(/from \d+ /, "")],
      ["with a number too long", () => lasting(-60, 1800).replace(/from /, "from 000")],
      ["with a number too short", () => "from 1 until 3600\n"],
      ["of 0.2.0", () => lasting(-60, 1800).replace(/from \d+ (.*)/, `$1 ${"0f".repeat(16)}`)],
      ["without a word", () => ""],
    ] as const
  ).map(([what, text]) => ({
    name: `a pause ${what}`,
    event: "Compact",
    change: (at: Rigged) => pause(at, text()),
    because: ABSENT,
  })),
  ...([0o602, 0o620, 0o604, 0o640] as const).map((mode) => ({
    name: `a pause of mode ${mode.toString(8)}`,
    event: "Compact",
    change: (at: Rigged) => chmodSync(pause(at), mode),
    because: ABSENT,
  })),
  {
    name: "a pause that ends while the client waits",
    event: "Compact",
    change: (at) => pause(at, lasting(-60, 1)),
    deadlineMs: 2000,
    because: ABSENT,
  },
  {
    name: "a pause in a folder that a group may write",
    event: "Compact",
    change: (at) => chmodSync(join(pause(at), ".."), 0o770),
    because: OTHERS,
  },
  { name: "a pause behind a link", event: "Compact", change: (at) => linked(pause(at)), because: ABSENT },
  {
    name: "a pause with a second name",
    event: "Compact",
    change: (at) => linkSync(pause(at), `${pauseFile(at)}.2`),
    because: ABSENT,
  },
  {
    name: "a pipe in the place of a pause",
    event: "Compact",
    change(at) {
      rmSync(pause(at));
      execFileSync("mkfifo", ["-m", "600", pauseFile(at)]);
    },
    because: ABSENT,
  },
  {
    name: "another user's pause",
    event: "Compact",
    change: (at) => chownSync(pause(at), NOBODY, NOBODY),
    because: ABSENT,
    needsRoot: true,
  },
];

/** Writes the table that a daemon would have left that knew of a guard for calls of tools, and of one of the person's. */
async function leaveTable(at: Rigged): Promise<void> {
  at.write("~/.hookline/settings.json", "{}");
  mkdirSync(join(at.home, ".pi/agent/extensions"), { recursive: true });
  await wait(30);
  const looking = new Looking(MOVING);
  const files = looking.over(systemFiles);
  for (const path of [".hookline/settings.json", ".jdata/agent/hooks.yaml"]) files.read(join(at.home, path));
  files.list(join(at.home, ".pi/agent/extensions"));
  const settings = join(at.hooklineHome, "settings.json");
  const more = [settings, ...["managed/settings.json", ".hookline.json"].map((path) => join(at.project, path))];
  const guarded = (moments: readonly string[], one: string): boolean => moments.includes(one);
  const session = {
    refusal: undefined,
    looked: looking.end(more, [at.hooklineHome], { HOME: at.home, PATH: "/bin" }),
    listens: (moments: readonly string[]) => guarded(moments, "tool.before") || guarded(moments, "compact.before"),
    isHeld: (moments: readonly string[]) => guarded(moments, "tool.before"),
  };
  makeRunFolder(at.place.folder);
  writeFileSync(at.place.table, new ClosedTable([{ host: rig, session }]).text ?? "", { mode: 0o600 });
}

describe.each(CLIENTS)("without a daemon, the client %s", (client) => {
  for (const { name, change, env, event = "Prompt", because, paused, needsRoot, home, deadlineMs = 150 } of CASES) {
    const cannot = !hasClient(client) || (needsRoot && !isRoot);
    test.skipIf(cannot)(`${because === undefined ? "goes on" : "refuses"}: ${name}`, async () => {
      const at = riggedWith(client, undefined, home);
      onTestFinished(() => {
        rmSync(at.place.folder, { recursive: true, force: true });
        return at.close();
      });
      await leaveTable(at);
      await change?.(at);
      const said = await verdictOf(client, at, event, { env: env?.(at) ?? {}, deadlineMs });
      const expected: Verdict = because === undefined ? {} : { refusedBecause: because };
      expect(said).toEqual(paused ? { note: expect.stringMatching(note) } : expected);
    });
  }
});
