import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf, openBytes } from "@hookline/runtime/past";
import { startLoopback } from "../../packages/hookline/test/support/loopback.ts";
import { Place, runAgent } from "../agent/program.ts";
import type { Experiment, Tally } from "../stage/experiment.ts";
import { each } from "../stage/ground.ts";

const EARLY = `
  pi.on("input", ({ text }) => ({ action: "transform", text: clean(text) }));
  pi.on("tool_result", ({ content, details }) => ({ content: clean(content), details: clean(details ?? {}) }));`;

/**
 * Returns a hook that removes a secret from messages as they enter the history; `early` also removes it from typed text
 * and results.
 */
const redactor = (secret: string, how: Redaction): string => `
const clean = (value) => JSON.parse(JSON.stringify(value).replaceAll(${JSON.stringify(secret)}, "[gone]"));
export default (pi) => {${how === "early" ? EARLY : ""}
  pi.on("message_end", ({ message }) => ({ message: clean(message) }));
};
`;

type Redaction = "early" | "late" | "none";
const GUARD = 'export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "no" }));\n';

interface Secrets {
  /** The secret that the redactor removes, if there is one. */
  readonly removed: string;
  readonly key: string;
  readonly variable: string;
  readonly header: string;
}

const newSecret = (): string => `canary-${randomBytes(9).toString("hex")}`;

/** Records a run with the secrets in many places, replays it, and returns all resulting texts. */
async function texts(level: string, how: Redaction, secrets: Secrets): Promise<Map<string, string>> {
  const { removed, key, variable, header } = secrets;
  using place = new Place();
  const server = await startLoopback([
    {
      text: `It says ${removed}`,
      toolCalls: [
        { name: "read", arguments: { path: "notes.txt" } },
        { name: "bash", arguments: { command: "cat notes.txt; printenv OPENAI_API_KEY" } },
      ],
      headers: { "x-secret": header },
    },
    { text: `Over: ${removed}` },
  ]);
  const provider = { baseUrl: `${server.url}/v1`, api: "openai-completions", apiKey: key, models: [{ id: "model" }] };
  place.write("~/.hookline/models.json", JSON.stringify({ providers: { loop: provider } }), 0o600);
  place.write("~/.hookline/settings.json", JSON.stringify({ record: level }));
  if (how !== "none") place.write("~/.pi/agent/extensions/redactor.ts", redactor(removed, how));
  place.write("notes.txt", `${removed} ${variable}\n`);
  place.write("guard.ts", GUARD);
  const env = { OPENAI_API_KEY: variable };
  await runAgent(place, ["--model", "loop/model", "-p", `Here is ${removed}`], { env });
  await server.close();
  const folder = join(place.hookline, "recordings");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
  const found = new Map(names.map((name) => [`the recording ${name}`, linesIn(join(folder, name))]));
  const page = ["--markdown", "page.md", "--out", "out.jsonl", "--json"];
  const args = ["replay", join(folder, names[0] ?? "none"), "--with", "guard.ts", "--allow-empty", ...page];
  const replayed = await runAgent(place, args, { env });
  found.set("the replay's output", replayed.out + replayed.err);
  for (const name of ["page.md", "out.jsonl"])
    found.set(`the replay's ${name}`, existsSync(place.path(name)) ? readFileSync(place.path(name), "utf8") : "");
  for (const name of ["stats", "cache"].map((name) => join(place.hookline, name)).filter(existsSync))
    for (const file of readdirSync(name, { recursive: true, encoding: "utf8" }))
      if (lstatSync(join(name, file)).isFile() && !file.startsWith("modules/") && !file.startsWith("texts/"))
        found.set(`${name}/${file}`, readFileSync(join(name, file), "latin1"));
  return found;
}

/** Returns the lines of a recording, which is compressed after its session. */
function linesIn(path: string): string {
  const bytes = openBytes(path);
  try {
    return [...linesOf(bytes)].map(({ text = "" }) => text).join("\n");
  } finally {
    bytes.close();
  }
}

async function look(level: string, how: Redaction, tally: Tally): Promise<void> {
  const secrets: Secrets = { removed: newSecret(), key: newSecret(), variable: newSecret(), header: newSecret() };
  const found = await texts(level, how, secrets);
  const has = (text: string): string | undefined => [...found].find(([, one]) => one.includes(text))?.[0];
  for (const [name, secret] of Object.entries(secrets)) {
    if (name === "removed" && how === "none") continue;
    const where = has(secret);
    tally.trial(where && `at level ${level}, redacted ${how}, ${name} stands in ${where}`);
  }
  // If the recording lacks the expected text, the experiment proves nothing.
  const recording = [...found].find(([name]) => name.startsWith("the recording"))?.[1] ?? "";
  const isThere =
    level === "log" ? recording.includes('"digest"') : recording.includes(how === "none" ? secrets.removed : "[gone]");
  tally.trial(isThere && recording.includes("tool.before") ? undefined : `at level ${level} nothing was recorded`);
  if (level !== "log")
    tally.trial(found.get("the replay's page.md")?.includes("newlyDenied") ? undefined : "nothing was replayed");
}

/** No recording, and no output of its replay, has a key or a text that a redactor has removed. */
export const secretsStayOut: Experiment = {
  id: "R55, recordings",
  async run(tally, { full }) {
    const quick = [
      ["log", "early"],
      ["all", "early"],
      ["all", "late"],
    ] as const;
    const rest = [
      ["decisions", "early"],
      ["decisions", "late"],
      ["log", "late"],
      ["all", "none"],
    ] as const;
    for (let round = 0; round < (full ? 5 : 1); round++)
      await each([...quick, ...(full ? rest : [])], 3, ([level, how]) => look(level, how, tally));
  },
};
