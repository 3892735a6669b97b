import { execFileSync } from "node:child_process";
import { type LoopbackReply, startLoopback } from "../packages/hookline/test/support/loopback.ts";
import { processesWith, token } from "../packages/runtime/test/process/programs.ts";
import { Place, type Ran, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each } from "./stage/ground.ts";

const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof CODES;
const SIGNALS = Object.keys(CODES) as Signal[];

/** Time limit in ms from a signal to the end of the process, and also from a second signal. */
const LIMIT_MS = 8000;
/** A run that has not ended after this many ms hangs, and is killed. */
const KILLED_MS = 2 * LIMIT_MS;
/** Time in ms until a reply becomes a call. */
const CALLED_MS = 400;
const SECOND_MS = 1000;

const asked = 'pi.on("before_provider_request", () => { console.error("asked"); });';
const never = "new Promise(() => setInterval(() => {}, 1000))";
const extension = (body: string): string => `export default (pi) => { ${body} };\n`;

/** Writes a module with a tool whose body never ends; returns the reply that calls it. */
function tool(place: Place, body: string): LoopbackReply {
  const definition = `{ name: "hangs", label: "hangs", description: "hangs", parameters: { type: "object", properties: {} }, execute: ${body} }`;
  place.write(
    ".pi/extensions/e.ts",
    `import { open, readFile, writeFile } from "node:fs/promises";\n${extension(`${asked} pi.registerTool(${definition});`)}`,
  );
  return call("hangs", {});
}

/** Returns a reply that calls one of hookline's own tools; a module reports each call before it runs. */
function builtin(place: Place, name: string, args: object): LoopbackReply {
  place.write(".pi/extensions/e.ts", extension(asked));
  return call(name, args);
}

const call = (name: string, args: object): LoopbackReply => ({
  toolCalls: [{ name, arguments: args as Record<string, unknown> }],
});

function pipe(place: Place): string {
  execFileSync("mkfifo", [place.path("pipe")]);
  return "pipe";
}

/**
 * Ways in which the end of a session hangs, or in which the tool hangs that the returned reply calls. SLEEP is the
 * argument by which left-over processes are recognised.
 */
const HANGS: Readonly<Record<string, (place: Place, sleep: string) => LoopbackReply | undefined>> = {
  "pi session_shutdown"(place) {
    place.write(
      ".pi/extensions/e.ts",
      extension(`${asked} pi.on("session_shutdown", () => { console.error("ending"); return ${never}; });`),
    );
    return undefined;
  },
  "several handlers"(place) {
    const one = `pi.on("session_shutdown", () => { console.error("ending"); return ${never}; });`;
    place.write(".pi/extensions/a.ts", extension(`${asked} ${one} ${one}`));
    place.write(".pi/extensions/b.ts", extension(one));
    place.write(".omp/extensions/c.ts", extension(one));
    return undefined;
  },
  "j-cli session_end"(place, sleep) {
    place.write(".pi/extensions/e.ts", extension(asked));
    place.write(
      ".jcli/hooks.yaml",
      `session_end:\n  - command: "echo ending >&2; trap '' TERM; sleep 600 ${sleep}"\n    timeout: 60\n`,
    );
    return undefined;
  },
  "chibi on_end"(place, sleep) {
    place.write(".pi/extensions/e.ts", extension(asked));
    const schema = '{"name":"end","description":"d","hooks":["on_end"]}';
    place.write(
      ".hookline/plugins/end",
      `#!/bin/sh\n[ "$1" = --schema ] && echo '${schema}' && exit\nsleep 600 ${sleep}\n`,
      0o755,
    );
    return undefined;
  },
  "an aborted handler that goes on"(place) {
    place.write(
      ".pi/extensions/e.ts",
      extension(`${asked} pi.on("agent_end", () => ${never}); pi.on("session_shutdown", () => ${never});`),
    );
    return undefined;
  },
  "a module's tool that never answers": (place) => tool(place, `() => ${never}`),
  "a module's tool that reads a pipe"(place) {
    pipe(place);
    return tool(place, `() => readFile("pipe")`);
  },
  "a module's tool that occupies every thread"(place) {
    pipe(place);
    return tool(place, `() => Promise.all(Array.from({ length: 9 }, () => open("pipe")))`);
  },
  "bash, deaf to the first signal": (place, sleep) =>
    builtin(place, "bash", { command: `trap '' TERM INT HUP; sleep 600 ${sleep}` }),
  "read of a pipe": (place) => builtin(place, "read", { path: pipe(place) }),
  "grep in a pipe": (place) => builtin(place, "grep", { pattern: "x", path: pipe(place) }),
  "grep with a pattern without an end"(place) {
    place.write("long.txt", `${"a".repeat(60)}!${"b".repeat(4_000_000)}`);
    return builtin(place, "grep", { pattern: "^(a+)+$", path: "long.txt" });
  },
  "write to a pipe": (place) => builtin(place, "write", { path: pipe(place), content: "x" }),
  "edit of a pipe": (place) => builtin(place, "edit", { path: pipe(place), edits: [{ oldText: "a", newText: "b" }] }),
  "a search in a folder whose rules are a pipe"(place) {
    execFileSync("mkfifo", [place.path(".gitignore")]);
    return builtin(place, "find", { pattern: "*" });
  },
};

/** Whether the tool hangs, and not the end of the session. */
const isTool = (name: string): boolean => /tool|bash|read|grep|write|edit|search/.test(name);

const REPLY: LoopbackReply = { fault: "hang" };

interface Ended extends Ran {
  /** Time in ms from the first signal, and from the second one, to the end. */
  readonly afterMs: number;
  readonly afterSecondMs: number;
}

/**
 * Starts a run and signals it while it waits for the provider, or right after the reply whose call hangs. With `twice`,
 * signals it again a moment later.
 */
async function signalled(place: Place, signal: Signal, twice: boolean, reply = REPLY): Promise<Ended> {
  const server = await startLoopback((_, index) => (index === 0 ? reply : REPLY));
  place.provider(server.url);
  let first = 0;
  let second = 0;
  const ran = await runAgent(place, ["--trust-project", "--model", "loop/model", "-p", "wait"], {
    watch(child, _, err) {
      if (first > 0 || !err.includes("asked")) return;
      first = performance.now();
      setTimeout(() => child.kill("SIGKILL"), KILLED_MS + CALLED_MS).unref();
      if (reply === REPLY) child.kill(signal);
      else
        setTimeout(() => {
          first = performance.now();
          child.kill(signal);
        }, CALLED_MS);
      if (!twice) return;
      setTimeout(() => {
        second = performance.now();
        child.kill(signal);
      }, CALLED_MS + 500);
    },
  });
  const now = performance.now();
  await server.close();
  return { ...ran, afterMs: now - first, afterSecondMs: now - second };
}

/** A signal ends the agent in time, whatever hangs at the end, with its exit code and with no process left running. */
const signalEnds: Experiment = {
  id: "R43, signals",
  async run(tally, { full }) {
    const ways = Object.entries(HANGS);
    const times: number[] = [];
    const seconds: number[] = [];
    const trials = SIGNALS.flatMap((signal) =>
      (full
        ? Array.from({ length: Math.max(20, ways.length) }, (_, index) => ways[index % ways.length])
        : ways.filter(([name], at) => at < 3 || (isTool(name) && (signal === "SIGTERM" || name.includes("thread"))))
      ).flatMap((way) =>
        full
          ? [
              { signal, way, twice: false },
              { signal, way, twice: true },
            ]
          : [{ signal, way, twice: way === ways[1] }],
      ),
    );
    await each(trials, full ? 4 : 9, async ({ signal, way, twice }) => {
      const [name, write] = way as (typeof ways)[number];
      using place = new Place();
      const sleep = token();
      const reply = write(place, sleep);
      const { code, afterMs, afterSecondMs, err } = await signalled(place, signal, twice, reply);
      const what = `${signal}${twice ? " twice" : ""}, ${name}`;
      (twice ? seconds : times).push(twice ? afterSecondMs : afterMs);
      const late = twice ? afterSecondMs > SECOND_MS : afterMs > LIMIT_MS;
      // A second signal waits for nothing; the next start ends what is left then (R5).
      const left = twice ? 0 : processesWith(sleep).length;
      const problem =
        code !== CODES[signal]
          ? `ended with ${code}: ${err.slice(-200)}`
          : late
            ? `took ${Math.round(twice ? afterSecondMs : afterMs)} ms`
            : left > 0
              ? `${left} processes are left`
              : undefined;
      tally.trial(problem && `${what}: ${problem}`);
    });
    tally.figure(`after a signal at most ${Math.round(Math.max(...times))} ms of ${times.length}`);
    tally.figure(`after a second one at most ${Math.round(Math.max(...seconds))} ms of ${seconds.length}`);
  },
};

export const claim: Claim = {
  name: "exit",
  says: "after a signal the agent ends within 8 s whatever hangs, at its end or in a tool, and after a second one within 1 s",
  run: (size) => findingOf([signalEnds], size),
};
