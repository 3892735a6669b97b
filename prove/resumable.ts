import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "@hookline/runtime";
import { atDepth, taskCall, WITH_TASKS } from "../packages/hookline/test/support/depth.ts";
import { type LoopbackReply, startLoopback } from "../packages/hookline/test/support/loopback.ts";
import { Place, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { type Api, refusal } from "./sessions/accept.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each } from "./stage/ground.ts";

const CALLS = 10;
const APIS: readonly Api[] = ["openai-completions", "anthropic-messages", "openai-responses", "google-generative-ai"];

const calls = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `call_${from + index}`,
    name: "bash",
    arguments: { command: `echo ${from + index}` },
  }));
/** A turn with ten calls: some concurrent, some one after the other. */
const TURN: readonly LoopbackReply[] = [
  { text: "four at once", toolCalls: calls(1, 4) },
  { text: "one", toolCalls: calls(5, 1) },
  { text: "five at once", toolCalls: calls(6, CALLS - 5) },
  { text: "done" },
];

/** Returns the agent's arguments for one wire format. */
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

/** Returns the lines that remain of a damaged session, by kind of damage; the first line is the session's header. */
const LEFT: Readonly<Record<string, (lines: readonly string[], at: number) => readonly string[]>> = {
  "it ends after": (lines, at) => lines.slice(0, at + 1),
  "there is damage to": (lines, at) => lines.with(at, `${(lines[at] as string).slice(0, -9)}#damage`),
  "there is no": (lines, at) => lines.toSpliced(at, 1),
};

/** A session that was damaged at any entry is continued with a request that every provider accepts. */
const atEveryEntry: Experiment = {
  id: "R48",
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

/**
 * Returns the problem if the file has a call without a result before the next message: continuing must have added one.
 */
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

/** Returns why a strict provider or the agent refuses to continue a session. */
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

/** Replies of a model whose sub-agent runs a command and starts another sub-agent, which also runs one. */
const DEEP: readonly LoopbackReply[] = [
  { toolCalls: [taskCall()] },
  { toolCalls: [{ name: "bash", arguments: { command: "sleep 0.2" } }] },
  ...atDepth(1, [{ toolCalls: [{ name: "bash", arguments: { command: "sleep 0.2" } }] }, { text: "deep" }]),
  { text: "done" },
];

/** After the agent is killed while sub-agents work, each session can be opened and continued. */
const whileSubAgentsWork: Experiment = {
  id: "R48, sub-agents",
  async run(tally, { full }) {
    const lines = Array.from({ length: 48 }, (_, at) => at + 24);
    await each(
      lines.filter((at) => (full ? at % 2 === 0 : at % 24 === 0)),
      2,
      async (at) => {
        const problem = await killedAt(at);
        tally.trial(problem && `killed at line ${at} of its output: ${problem}`);
      },
    );
  },
};

/** Kills the agent after this much output; returns what is wrong with the sessions that it leaves. */
async function killedAt(at: number): Promise<string | undefined> {
  using place = new Place();
  place.write("~/.hookline/settings.json", JSON.stringify(WITH_TASKS));
  const session = join(place.top, "session.jsonl");
  const [api] = APIS as readonly [Api];
  const server = await startLoopback(DEEP);
  const { out, signal } = await runAgent(
    place,
    [...modelArgs(api, server.url), "--session", session, "--mode", "json", "-p", "go"],
    {
      watch: (child, told) => {
        if (told.split("\n").length > at) child.kill("SIGKILL");
      },
    },
  );
  await server.close();
  const told = out
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const started = told.flatMap(({ type, agent }) => (type === "subagent_start" ? [agent] : []));
  if (signal !== "SIGKILL" || started.length === 0)
    return `it was not killed while a sub-agent worked (${told.length} lines)`;
  for (const { id, path, depth } of started) {
    const parent = depth === 1 ? session : started.find((one) => one.depth === depth - 1)?.path;
    if (!readFileSync(parent, "utf8").includes(`"path":${JSON.stringify(path)}`))
      return `nothing in ${parent} names ${path}`;
    const shown = told.filter(
      ({ type, agentId, event }) => type === "subagent_event" && agentId === id && event.type === "message_end",
    );
    if (shown.length === 0) continue;
    const kept = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line.includes('"type":"message"'));
    if (kept.length < shown.length)
      return `${shown.length} messages of a sub-agent were shown, ${kept.length} are kept`;
    const problem = (await goOn(place, api, path)) ?? unanswered(path);
    if (problem !== undefined) return `a sub-agent's session: ${problem}`;
  }
  return (await goOn(place, api, session)) ?? unanswered(session);
}

export const claim: Claim = {
  name: "resumable",
  says: "a session that was cut off or damaged at any entry continues with a request that every provider accepts",
  run: (size) => findingOf([atEveryEntry, whileSubAgentsWork], size),
};
