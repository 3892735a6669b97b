import { spawnSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { claude } from "@hookline/runtime/dialects";
import { exclusionOf } from "@hookline/runtime/engine";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { builtinTools } from "../packages/hookline/src/tool/builtin.ts";
import { acceptArguments } from "../packages/hookline/src/tool/schema.ts";
import type { Tool } from "../packages/hookline/src/tool/tool.ts";
import type { Claim } from "./claim.ts";
import { SCENE } from "./stage/events.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { COMMANDS, isLimit } from "./taint/commands.ts";

const SECRET = "TOKEN-not-a-real-secret";
const DENY = ["Read(./.env)", "Read(./secrets/**)", "Read(./payroll\u2019s.txt)"];

/** The files of a project; the denied ones contain the secret. */
const FILES: Readonly<Record<string, string>> = {
  ".env": SECRET,
  "secrets/key": SECRET,
  "secrets/deep/more.txt": SECRET,
  "payroll\u2019s.txt": SECRET,
  "src/a.ts": "TOKEN of the code",
  "src/.hidden": "TOKEN",
  "docs/a b.md": "TOKEN",
  "package.json": "{}",
};

/** A project and a person's home, in a separate folder. */
class Ground {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), "taint-")));
  readonly cwd = join(this.top, "project");
  readonly home = join(this.top, "home");

  constructor() {
    this.#write(join(this.home, ".claude/settings.json"), JSON.stringify({ permissions: { deny: DENY } }));
    this.reset();
  }

  /** Creates the project again. */
  reset(): void {
    for (const path of [this.cwd, join(this.top, "out")]) rmSync(path, { recursive: true, force: true });
    for (const [path, text] of Object.entries(FILES)) this.#write(join(this.cwd, path), text);
    mkdirSync(join(this.top, "out"));
    symlinkSync(".", join(this.cwd, "here"));
    symlinkSync("secrets", join(this.cwd, "linked"));
    symlinkSync("../.env", join(this.cwd, "src/link"));
    linkSync(join(this.cwd, ".env"), join(this.cwd, "src/hard"));
  }

  /** Whether the secret has reached a folder outside the project, as text or in an archive. */
  get hasLeaked(): boolean {
    return readdirSync(join(this.top, "out"), { recursive: true, withFileTypes: true }).some(
      (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(SECRET),
    );
  }

  #write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

interface Table {
  readonly ground: Ground;
  readonly session: HookSession;
  readonly tools: readonly Tool[];
}

/** Runs `act` with a session that has the rules, and the agent's own tools. */
async function seated(act: (table: Table) => Promise<void>): Promise<void> {
  using ground = new Ground();
  const runtime = createHookRuntime({ dialects: [claude], home: ground.home, env: {} });
  const session = await runtime.open({
    scene: { ...SCENE, cwd: ground.cwd },
    services: { leavesOut: () => true },
  });
  const tools = builtinTools({
    cwd: ground.cwd,
    processes: runtime.processes,
    excludes: () => exclusionOf(session.contributions),
  });
  try {
    await act({ ground, session, tools });
  } finally {
    await session.close();
    await runtime.close();
  }
}

const PLACES = [
  ...[".", "./", "here", "here/.", "..", "src/..", "secrets", "secrets/", "linked", "here/secrets", "src", "docs"],
  ...[".env", "./.env", "src/../.env", "here/.env", "src/link", "src/hard", "secrets/key", "linked/key", "@.env"],
  ...["secrets/deep/more.txt", "payroll's.txt", "payroll\u2019s.txt", "./payroll's.txt", "@payroll's.txt", "src/a.ts"],
];
const PATTERNS = ["TOKEN", ".*", "**/*", "*", "**/key", ".e*", "**/{key,.env}"];

/** Returns every call of a tool with paths, patterns and globs; the arguments come from its parameters. */
function callsOf({ parameters: { properties = {}, required = [] } }: Tool, cwd: string): Record<string, unknown>[] {
  const paths = "path" in properties ? [...PLACES, ...PLACES.map((path) => join(cwd, path.replace(/^@/, "")))] : [];
  const patterns = "pattern" in properties ? PATTERNS : [undefined];
  const globs = "glob" in properties ? [undefined, ".e*", "**/key", "!src"] : [undefined];
  const others = {
    ...(required.includes("edits") && { edits: [{ oldText: "TOKEN", newText: "T" }] }),
    ...(required.includes("content") && { content: "" }),
  };
  const some = required.includes("path") ? paths : [undefined, ...paths];
  return some.flatMap((path) =>
    patterns.flatMap((pattern) =>
      globs.map((glob) => ({ ...(path && { path }), ...(pattern && { pattern }), ...(glob && { glob }), ...others })),
    ),
  );
}

const tools: Experiment = {
  id: "tools",
  async run(tally, { full }) {
    await seated(async ({ ground, session, tools: all }) => {
      let refused = 0;
      for (const tool of all.filter(({ name }) => name !== "bash")) {
        const calls = callsOf(tool, ground.cwd).filter((_, at) => full || at % 9 === 0);
        for (const args of calls) {
          if (tool.name === "edit" || tool.name === "write") ground.reset();
          const accept = (given: object): Record<string, unknown> => acceptArguments(tool, given);
          const result = await session.wrap({ toolCallId: "1", tool: tool.name, args, accept }, (given) =>
            tool.execute("1", given as never, undefined, undefined, undefined),
          );
          const text = JSON.stringify([result.content, result.details]);
          if (result.blocked) refused += 1;
          tally.trial(text.includes(SECRET) ? `${tool.name} ${JSON.stringify(args)} shows a denied file` : undefined);
        }
      }
      tally.figure(`${refused} calls of tools refused`);
    });
  },
};

const commands: Experiment = {
  id: "commands",
  async run(tally, { full }) {
    await seated(async ({ ground, session }) => {
      const count = { refused: 0, needless: 0, limits: 0, absent: 0 };
      for (const command of COMMANDS.filter((_, at) => full || at % 40 === 0)) {
        ground.reset();
        const { answer } = await session.emit("tool.before", { toolCallId: "1", tool: "bash", args: { command } });
        const isRefused = answer.decision === "deny" || answer.decision === "ask";
        const ran = spawnSync("bash", ["-c", command], {
          cwd: ground.cwd,
          timeout: 5000,
          env: { ...process.env, HOME: ground.home },
          encoding: "utf8",
          input: "",
        });
        if (ran.status === 127) count.absent += 1;
        const isTainted = `${ran.stdout}${ran.stderr}`.includes(SECRET) || ground.hasLeaked;
        if (isRefused) count.refused += 1;
        if (isRefused && !isTainted) count.needless += 1;
        if (!isRefused && isTainted && isLimit(command)) count.limits += 1;
        const isMissed = !isRefused && isTainted && !isLimit(command);
        tally.trial(isMissed ? `${command} shows a denied file` : undefined);
      }
      const { refused, needless, limits, absent } = count;
      tally.figure(`${refused} commands refused, ${needless} of them show nothing denied here`);
      tally.figure(`${limits} commands of the published limits, ${absent} programs not installed`);
    });
  },
};

export const claim: Claim = {
  name: "taint",
  says: "no tool and no command shows what Read rules deny, but for the published limits",
  run: (size) => findingOf([tools, commands], size),
};
