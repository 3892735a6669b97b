import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "@hookline/runtime";
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

/** What is left of a whole session's lines, by what befell it; the first line is the session's header. */
const LEFT: Readonly<Record<string, (lines: readonly string[], at: number) => readonly string[]>> = {
  "it ends after": (lines, at) => lines.slice(0, at + 1),
  "there is damage to": (lines, at) => lines.with(at, `${(lines[at] as string).slice(0, -9)}#damage`),
  "there is no": (lines, at) => lines.toSpliced(at, 1),
};

/** A session that something befell at any of its entries is gone on with, in a request that every provider takes. */
const atEveryEntry: Experiment = {
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
      const trials = Object.entries(LEFT).flatMap(([what, left]) =>
        Array.from({ length: lines.length - 1 }, (_, at) => ({ what, left, at: at + 1 })),
      );
      await each(
        trials.filter(({ at }) => full || at % 8 === index * 2),
        2,
        async ({ what, left, at }) => {
          const path = join(place.top, `${what} ${at}.jsonl`);
          writeFileSync(path, `${left(lines, at).join("\n")}\n`);
          const problem = (await goOn(place, api, path)) ?? (what === "it ends after" ? unanswered(path) : undefined);
          tally.trial(problem && `${api}, ${what} entry ${at}: ${problem}`);
        },
      );
    }
  },
};

/** Which stored call has no stored result before the next thing that is said, so that only the request made one up. */
function unanswered(path: string): string | undefined {
  const open = new Set<string>();
  for (const line of readFileSync(path, "utf8").split("\n").slice(1, -1)) {
    const { message } = JSON.parse(line) as { readonly message?: Message };
    if (message?.role === "toolResult") open.delete(message.toolCallId);
    else if (message !== undefined && open.size > 0) return `the file has no result for ${[...open].join(", ")}`;
    if (message?.role !== "assistant") continue;
    for (const block of message.content) if (block.type === "toolCall") open.add(block.id);
  }
  return undefined;
}

/** What a strict provider or the agent says against going on with a session. */
async function goOn(place: Place, api: Api, path: string): Promise<string | undefined> {
  const refused: string[] = [];
  const server = await startLoopback(({ body }) => {
    const why = refusal(api, body as Readonly<Record<string, unknown>>);
    if (why !== undefined) refused.push(why);
    return why === undefined ? { text: "went on" } : { error: { status: 400, message: why } };
  });
  try {
    const { code, out, err } = await runAgent(place, [...modelArgs(api, server.url), "--session", path, "-p", "go on"]);
    if (refused.length > 0) return refused[0];
    return code === 0 && out === "went on\n" ? undefined : `the run ended with ${code}: ${err}`;
  } finally {
    await server.close();
  }
}

export const claim: Claim = {
  name: "resumable",
  says: "a session that was cut off or damaged at any entry is gone on with in a request that every provider accepts",
  run: (size) => findingOf([atEveryEntry], size),
};
