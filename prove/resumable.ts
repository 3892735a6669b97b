import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoopbackReply, startLoopback } from "../packages/hookline/test/support/loopback.ts";
import { Place, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf } from "./processes/experiment.ts";
import { each } from "./processes/ground.ts";
import { type Api, refusal } from "./sessions/accept.ts";

const CALLS = 10;
const APIS: readonly Api[] = ["openai-completions", "anthropic-messages", "openai-responses", "google-generative-ai"];

const calls = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `call_${from + index}`,
    name: "bash",
    arguments: { command: `echo ${from + index}` },
  }));
/** Ten calls: some side by side, some one after the other. */
const TURN: readonly LoopbackReply[] = [
  { text: "four at once", toolCalls: calls(1, 4) },
  { text: "one", toolCalls: calls(5, 1) },
  { text: "five at once", toolCalls: calls(6, CALLS - 5) },
  { text: "done" },
];

/** The agent's command line for one wire format. */
function modelArgs(api: Api, url: string): string[] {
  const base = { "openai-completions": "/v1", "openai-responses": "/v1", "google-generative-ai": "/v1beta" };
  return [
    "--api",
    api,
    "--base-url",
    `${url}${api in base ? base[api as keyof typeof base] : ""}`,
    "--model",
    "test/m",
  ];
}

/** A session that ends after any of its entries is gone on with, in a request that every provider takes. */
const afterEveryEntry: Experiment = {
  id: "R48",
  paths: [],
  async run(tally, { full }) {
    for (const [index, api] of APIS.entries()) {
      using place = new Place();
      const session = join(place.top, "whole.jsonl");
      const first = await startLoopback(TURN);
      const ran = await runAgent(place, [...modelArgs(api, first.url), "--session", session, "-p", "go"]);
      await first.close();
      if (ran.code !== 0) throw new Error(`${api}: the turn failed: ${ran.err}`);
      const lines = readFileSync(session, "utf8").split("\n").slice(0, -1);
      await each(
        Array.from({ length: lines.length - 1 }, (_, at) => at + 2).filter((at) => full || at % 8 === index * 2),
        2,
        async (count) => {
          const path = join(place.top, `${count}.jsonl`);
          writeFileSync(path, `${lines.slice(0, count).join("\n")}\n`);
          tally.trial(await goOn(place, api, path, count));
        },
      );
    }
  },
};

/** What a strict provider or the agent says against going on with a session. */
async function goOn(place: Place, api: Api, path: string, count: number): Promise<string | undefined> {
  const refused: string[] = [];
  const server = await startLoopback(({ body }) => {
    const why = refusal(api, body as Readonly<Record<string, unknown>>);
    if (why !== undefined) refused.push(why);
    return why === undefined ? { text: "went on" } : { error: { status: 400, message: why } };
  });
  try {
    const { code, out, err } = await runAgent(place, [...modelArgs(api, server.url), "--session", path, "-p", "go on"]);
    if (refused.length > 0) return `${api}, after entry ${count}: ${refused[0]}`;
    return code === 0 && out === "went on\n" ? undefined : `${api}, after entry ${count}: ended with ${code}: ${err}`;
  } finally {
    await server.close();
  }
}

export const claim: Claim = {
  name: "resumable",
  says: "a session that was cut off between any two entries is gone on with in a request that every provider accepts",
  run: (size) => findingOf([afterEveryEntry], size),
};
