import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { natsProgram } from "../packages/fleet/src/server/nats.ts";
import type { Tried } from "./use-conformance.ts";

/** The reason that the guard of `hookline fleet dev` gives. */
const PUSH = "pushing is for people";

/** The output of a program on both streams, and its exit code. */
interface Said {
  readonly code: number | null;
  readonly said: string;
}

/**
 * Installs the packed agent and the packed fleet as a user would, and lets the machine join a fleet. Then the package
 * is removed, replaced by another version, broken, and planted in the project. Each time everything that the fleet may
 * guard must be refused, with a message that says what to install.
 */
export async function useFleet(
  place: string,
  packed: { readonly hookline: string; readonly fleet: string },
  version: string,
): Promise<Tried[]> {
  const top = join(place, "with-fleet");
  const at = (...path: readonly string[]): string => join(top, ...path);
  for (const folder of ["home", "admin", "work"]) mkdirSync(at(folder), { recursive: true });
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(":");
  const npm = (...args: readonly string[]): void => {
    const quiet = ["--prefix", at("prefix"), "--ignore-scripts", "--no-audit", "--no-fund"];
    const { status, stderr } = spawnSync("npm", [...args, ...quiet], { encoding: "utf8" });
    if (status !== 0) process.stderr.write(stderr);
  };
  const run = (program: string, args: readonly string[], input = ""): Said => {
    const env = { PATH, HOME: at("home") };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: at("work"), env, input, encoding: "utf8" });
    return { code: status, said: stdout + stderr };
  };
  const program = at("prefix/bin/hookline");
  const agent = (line: string): Said => run(program, line.split(" "));
  const own = at("prefix/lib/node_modules/@hookline/fleet");
  const push = `--json --script ${at("admin/.hookline/fleet-dev/push.yaml")} -p push`;
  let sessions = 0;
  /** Makes a call of another agent through the bridge, in a new or an existing session. */
  const bridged = (session = `s${(sessions += 1)}`): string => {
    const call = { session_id: session, hook_event_name: "PreToolUse", tool_name: "Bash" };
    const payload = JSON.stringify({ ...call, tool_input: { command: "git push" } });
    return run(at("home/.hookline/bin/hookline-hook"), ["codex", "PreToolUse", "--deadline", "20000"], payload).said;
  };

  npm("install", "-g", join(place, packed.hookline));
  const bare = ["fleet dev", "inspect --fleet --no-open", "replay --fleet"].map(agent);
  const overview = agent("help").said;
  const topic = agent("help fleet").said;
  const install = `install @hookline/fleet@${version}`;
  const tried: Tried[] = [
    ["the fleet: without the package, its commands say what to install", bare.every(isRefusal(install))],
    [
      "the overview has none of it, and its own help says where it is from",
      !/fleet/.test(overview) && topic.includes(install),
    ],
  ];
  npm("install", "-g", join(place, packed.fleet));
  tried.push(
    ["with it, the overview has it", /fleet/.test(agent("help").said) && !agent("help fleet").said.includes(install)],
    ["it brings the notices of what it has built in", existsSync(join(own, "dist/THIRD-PARTY-NOTICES.txt"))],
  );
  if (natsProgram(process.env) === undefined) {
    process.stdout.write("skipped  a machine of a fleet: there is no nats-server\n");
    return tried;
  }
  const env = { PATH, HOME: at("admin") };
  const dev = spawn(program, ["fleet", "dev", "--port", "0"], { cwd: top, env, stdio: ["ignore", "pipe", "ignore"] });
  try {
    let joining = "";
    for await (const line of createInterface({ input: dev.stdout })) {
      joining = /hookline (fleet join .*)/.exec(line)?.[1] ?? joining;
      if (line.includes("Ctrl+C ends")) break;
    }
    const joined = agent(joining);
    agent("bridge install codex --yes");
    tried.push(
      [
        "the line that it prints has a machine join, and has no hash",
        joined.code === 0 && !/[0-9a-f]{64}/.test(joining),
      ],
      ["its worker refuses a call of the installed agent", agent(push).said.includes(PUSH)],
      ["and one of another agent", bridged("s0").includes(PUSH)],
    );
    const sentence = `this machine belongs to fleet dev; ${install}`;
    const again = (): boolean => {
      const before = bridged();
      agent("bridge stop");
      return [before, bridged()].every((said) => said.includes("deny") && said.includes(sentence));
    };
    const refused = (how: string, also: string): void => {
      const ran = agent(push);
      const doctor = agent("doctor");
      tried.push(
        [
          `${how}: a run is refused with what to install, and ends with 1`,
          isRefusal(sentence)(ran) && ran.said.includes(also),
        ],
        [`${how}: doctor says so`, doctor.code === 1 && doctor.said.includes(`fleet              ${sentence}`)],
        [`${how}: a call of another agent is refused, by the daemon of before and by a new one`, again()],
      );
    };
    renameSync(own, at("away"));
    refused("the package removed", "is not in");
    const asked = agent("hooks fire tool.before --tool bash").said;
    tried.push([
      "the package removed: each guarded call is refused",
      asked.includes('"deny"') && asked.includes(sentence),
    ]);
    plant(at("work/node_modules/@hookline/fleet"), { version, mark: at("planted") });
    refused("a package planted in the project", "is not in");
    tried.push(["a package planted in the project: is not loaded", !existsSync(at("planted"))]);
    plant(own, { version: "0.0.1", mark: at("other") });
    refused("another version", "has version 0.0.1");
    tried.push(["another version: is not loaded", !existsSync(at("other"))]);
    plant(own, { version, mark: "" });
    refused("a package that does not load", "does not load");
  } finally {
    dev.kill("SIGTERM");
    await once(dev, "exit");
    agent("bridge stop");
  }
  return tried;
}

/** Returns a test whether a program ended with 1 and printed a sentence. */
function isRefusal(sentence: string): (one: Said) => boolean {
  return ({ code, said }) => code === 1 && said.includes(sentence);
}

/** Writes a package that creates a mark file when it is loaded or, without `mark`, throws. */
function plant(folder: string, { version, mark }: { readonly version: string; readonly mark: string }): void {
  mkdirSync(join(folder, "dist"), { recursive: true });
  const manifest = { name: "@hookline/fleet", version, type: "module", exports: "./dist/index.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const text = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(mark)}, "");\n`;
  for (const name of ["index", "kit"]) writeFileSync(join(folder, `dist/${name}.js`), text);
}
