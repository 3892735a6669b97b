import { join } from "node:path";
import type { BenchCase } from "../case.ts";
import { peerFolder } from "../peer.ts";
import { ScreenDriver, type Screened } from "../programs/screen-driver.ts";

const MODELS = JSON.stringify({
  providers: {
    local: {
      baseUrl: "http://127.0.0.1:PORT/v1",
      api: "openai-completions",
      apiKey: "none",
      // Large enough for the long replies of many rounds.
      models: [{ id: "m", name: "m", contextWindow: 10_000_000 }],
    },
  },
});

const ours: Screened = {
  argv: [join(import.meta.dirname, "../../packages/hookline/bin/hookline.js"), "--model", "local/m"],
  ready: "Model: local/m",
  files: { ".hookline/models.json": MODELS },
};

function pi(): Screened {
  const folder = peerFolder("@earendil-works/pi-coding-agent", "0.87.1");
  return {
    argv: [join(folder, "dist/cli.js"), "--offline", "--model", "local/m"],
    ready: "%/",
    files: { ".pi/agent/models.json": MODELS },
    env: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" },
  };
}

/**
 * Measures how fast hookline and pi show keys or text; both take turns, each on a pseudo-terminal of 80×24. The agent
 * must be built.
 */
function latency(name: string, what: "keys" | "tokens" | "long", unit: string): BenchCase {
  return {
    name,
    unit,
    budget: {},
    n: 20,
    rounds: 11,
    async open() {
      const [own, other] = [await ScreenDriver.open(ours), await ScreenDriver.open(pi())];
      return {
        ours: own.measure(what),
        peers: [{ name: "pi 0.87.1", measured: other.measure(what), budget: 1.1 }],
        close: async () => {
          await Promise.all([own.close(), other.close()]);
        },
      };
    },
  };
}

/** An extension that listens to the events that a real one listens to, and answers nothing. */
const EXTENSION = `const listen = async (_event: unknown): Promise<void> => {};
export default (pi: any) => {
  for (const event of ["tool_call", "tool_result", "turn_start", "context", "message_update"]) pi.on(event, listen);
};
`;

function withExtensions(program: Screened, folder: string, count: number): Screened {
  const paths = Array.from({ length: count }, (_, at) => `${folder}/quiet-${at}.ts`);
  // The number makes each file different, so that each is compiled separately.
  const files = paths.map((path, at) => [path, `${EXTENSION}// ${at}\n`] as const);
  return { ...program, files: { ...program.files, ...Object.fromEntries(files) } };
}

/** Measures how often an idle session wakes up, after a first start has compiled its extensions. */
function idle(extensions: number): BenchCase {
  return {
    name: `idle-${extensions}`,
    unit: `idle second with ${extensions} extension${extensions === 1 ? "" : "s"}`,
    counts: "wake-ups",
    budget: { maxCount: 0.2 },
    n: 10,
    rounds: 5,
    async open() {
      const own = await ScreenDriver.open(withExtensions(ours, ".hookline/extensions", extensions));
      const other = await ScreenDriver.open(withExtensions(pi(), ".pi/agent/extensions", extensions));
      return {
        ours: own.measure("idle"),
        peers: [{ name: "pi 0.87.1", measured: other.measure("idle") }],
        close: async () => {
          await Promise.all([own.close(), other.close()]);
        },
      };
    },
  };
}

export const cases: readonly BenchCase[] = [
  idle(0),
  idle(1),
  idle(50),
  latency("screen-key", "keys", "key press until its echo"),
  latency("screen-token", "tokens", "piece of a reply until it is shown"),
  latency("screen-token-long", "long", "piece of a reply of 40 KB until it is shown"),
];
