import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHookRuntime } from "@hookline/runtime/session";
import { createBashTool } from "../../packages/hookline/src/tool/bash.ts";
import { createFindTool } from "../../packages/hookline/src/tool/find.ts";
import { createGrepTool } from "../../packages/hookline/src/tool/grep.ts";
import { type BenchCase, type Measured, type Subjects, timedAsync } from "../case.ts";
import { importPeer } from "../peer.ts";
import { FILES, manyFiles } from "../programs/many-files.ts";

const PI = { name: "@earendil-works/pi-coding-agent", version: "0.87.1" };
const OUTPUT_BYTES = 10_000_000;
const LINE = `${"the quick brown fox jumps over the lazy dog ".repeat(2).slice(0, 79)}\n`;

/** The interface that pi's tools and ours share. */
interface Tool {
  execute(id: string, input: object, signal: undefined, onUpdate: () => void, context: undefined): Promise<unknown>;
}

type Make = (cwd: string, options?: object) => Tool;

interface PiTools {
  readonly createBashTool: Make;
  readonly createFindTool: Make;
  readonly createGrepTool: Make;
}

const calling = (tool: Tool, input: object): Measured =>
  timedAsync(async (n) => {
    for (let i = 0; i < n; i++) await tool.execute("1", input, undefined, () => {}, undefined);
  });

/** Runs a program and discards its output, without a tool around it. */
const running = (cwd: string, program: string, ...args: string[]): Measured =>
  timedAsync(async (n) => {
    for (let i = 0; i < n; i++) {
      const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
      child.stdout.resume();
      await once(child, "close");
    }
  });

/** Returns the first of some programs that runs with these arguments. */
function installed(names: readonly string[], ...args: readonly string[]): string | undefined {
  return names.find((name) => spawnSync(name, [...args, "--version"]).status === 0);
}

interface Asked {
  readonly tool: keyof PiTools;
  readonly input: object;
  /** The command line of a program that does the tool's work; absent if it is not installed. */
  readonly floor: readonly string[] | undefined;
  /** Largest allowed ratio of our time to pi's; absent if pi cannot do it here. */
  readonly toPi: number | undefined;
  /** Whether the tool must work without ripgrep. */
  readonly ownWay?: boolean;
}

/** Measures one call of a tool, next to pi's tool and the program that pi starts for it. */
async function subjects(cwd: string, { tool, input, floor = [], toPi, ownWay = false }: Asked): Promise<Subjects> {
  const home = mkdtempSync(join(tmpdir(), "hookline-bench-home-"));
  // pi must neither fetch a program nor find one that it fetched before.
  Object.assign(process.env, { PI_OFFLINE: "1", PI_CODING_AGENT_DIR: home });
  const pi = await importPeer<PiTools>(PI.name, PI.version, "dist/core/tools/index.js");
  const runtime = createHookRuntime({ home, hooklineHome: join(home, ".hookline") });
  const { processes } = runtime;
  const ours: PiTools = {
    createBashTool: () => createBashTool(cwd, { processes, tmpDir: home, shellPath: "/bin/bash" }) as Tool,
    createFindTool: () => createFindTool(cwd) as Tool,
    createGrepTool: () => createGrepTool(cwd, ownWay ? {} : { processes }) as Tool,
  };
  const [program, ...args] = floor;
  const name = `pi ${PI.version}`;
  return {
    ours: calling(ours[tool](cwd), input),
    ...(toPi !== undefined && { peers: [{ name, measured: calling(pi[tool](cwd), input), budget: toPi }] }),
    ...(program !== undefined && { floor: running(cwd, program, ...args) }),
    async close() {
      await runtime.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function searching(name: string, unit: string, input: object, args: readonly string[], ownWay = false): BenchCase {
  const open = (): Promise<Subjects> => {
    const rg = installed(["rg"]);
    const toPi = rg === undefined ? undefined : ownWay ? 5 : 1.5;
    const floor = rg === undefined ? undefined : [rg, ...args];
    return subjects(manyFiles(), { tool: "createGrepTool", input, floor, toPi, ownWay });
  };
  return { name, unit: `${unit} in ${FILES} files`, budget: {}, n: 1, rounds: 5, open };
}

/**
 * Makes a case for the find tool. fd is called fdfind on Debian. pi needs fd 8.7, and takes 1.4 times as long as fd
 * itself, so the budgets agree.
 */
function finding(
  name: string,
  unit: string,
  input: object,
  args: readonly string[],
  budget: BenchCase["budget"] = {},
): BenchCase {
  const open = (): Promise<Subjects> => {
    const names = ["fd", "fdfind"];
    const fd = installed(names);
    const toPi = installed(names, "--no-require-git") === undefined ? undefined : 1.5;
    const floor = fd === undefined ? undefined : [fd, ...args];
    return subjects(manyFiles(), { tool: "createFindTool", input, floor, toPi });
  };
  return { name, unit: `${unit} of ${FILES} files`, budget, n: 1, rounds: 9, open };
}

function printing(name: string, unit: string, text: string): BenchCase {
  const open = async (): Promise<Subjects> => {
    const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
    writeFileSync(join(folder, "output.txt"), text);
    const command = "cat output.txt";
    const input = { command };
    const made = await subjects(folder, {
      tool: "createBashTool",
      input,
      toPi: 1,
      floor: ["/bin/bash", "-c", command],
    });
    return {
      ...made,
      close: async () => made.close?.().finally(() => rmSync(folder, { recursive: true, force: true })),
    };
  };
  return { name, unit, budget: {}, n: 1, rounds: 15, open };
}

const hits = { pattern: "needle_here" };
const regex = { pattern: "zz[a-f]+_\\d{4}" };

export const cases: readonly BenchCase[] = [
  searching("grep-hits", "20 matches", hits, [hits.pattern]),
  searching("grep-regex", "no match of a pattern", regex, [regex.pattern]),
  searching("grep-ignore-case", "20 matches, any case", { pattern: "NEEDLE_HERE", ignoreCase: true }, [
    "-i",
    "NEEDLE_HERE",
  ]),
  searching("grep-own-hits", "20 matches, without ripgrep,", hits, [hits.pattern], true),
  searching("grep-own-regex", "no match of a pattern, without ripgrep,", regex, [regex.pattern], true),
  finding("find-name", "a name that is not there", { pattern: "README-not" }, ["--glob", "--hidden", "README-not"], {
    toFloor: 2.1,
  }),
  finding("find-first", "the first 1,000", { pattern: "*.ts" }, ["--glob", "--hidden", "--max-results=1000", "*.ts"]),
  printing("bash-lines", "10 MB of output in lines", LINE.repeat(Math.ceil(OUTPUT_BYTES / LINE.length))),
  printing("bash-one-line", "10 MB of output in one line", "x".repeat(OUTPUT_BYTES)),
];
