import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startLoopback } from "../packages/hookline/test/support/loopback.ts";
import { Place, type Ran, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf, type Tally } from "./stage/experiment.ts";

/** Unique texts, one for each place where it is put; none may appear anywhere but in the session's own file. */
class Canaries {
  readonly #texts = new Map<string, string>();

  /** Returns the unique text of a place. */
  of(place: string): string {
    const text = this.#texts.get(place) ?? `canary-${randomBytes(9).toString("hex")}`;
    this.#texts.set(place, text);
    return text;
  }

  entries(): [place: string, text: string][] {
    return [...this.#texts];
  }
}

const PROVIDER_KEYS = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "MISTRAL_API_KEY",
  "GROQ_API_KEY",
  "XAI_API_KEY",
  "OPENROUTER_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "AZURE_OPENAI_API_KEY",
  "HF_TOKEN",
];
const OTHERS = ["DATABASE_URL", "GITHUB_TOKEN", "NPM_TOKEN", "STRIPE_SECRET", "SSH_PASSPHRASE"];
/** Invalid answers with a secret in them, for the hooks of each event. */
const JCLI_EVENTS = [
  "session_start",
  "pre_send_message",
  "post_send_message",
  "pre_llm_request",
  "post_llm_response",
  "pre_tool_execution",
  "post_tool_execution",
  "stop",
  "session_end",
];

/** Fills a project with hooks that all fail with a secret in their output. */
function furnish(place: Place, canaries: Canaries): void {
  const yaml = JCLI_EVENTS.map((event) => {
    const [out, err] = [canaries.of(`j-cli ${event} stdout`), canaries.of(`j-cli ${event} stderr`)];
    return `${event}:\n  - command: "cat > /dev/null; echo '{\\"user_input\\": 7, \\"x\\": \\"${out}\\"}'; echo ${err} >&2; exit 3"\n    timeout: 5\n`;
  });
  place.write(".jcli/hooks.yaml", yaml.join(""));
  const lines = [
    "input",
    "context",
    "tool_call",
    "tool_result",
    "turn_end",
    "agent_end",
    "before_provider_request",
  ].map(
    (event) =>
      `  pi.on("${event}", (event) => { throw Object.assign(new Error("failed"), { secret: "${canaries.of(`pi ${event} property`)}", event }); });`,
  );
  lines.push(
    `  pi.on("message_end", () => ({ message: 7, secret: "${canaries.of("pi answer")}" }));`,
    `  pi.on("turn_start", () => { setTimeout(() => { throw { secret: "${canaries.of("pi late value")}" }; }, 1); });`,
  );
  place.write(".pi/extensions/secrets.ts", `export default function (pi) {\n${lines.join("\n")}\n}\n`);
  const schema =
    '{"name":"leak","description":"d","hooks":["pre_message","post_message","pre_tool","post_tool","on_start"]}';
  const [out, err] = [canaries.of("chibi stdout"), canaries.of("chibi stderr")];
  place.write(
    ".hookline/plugins/leak",
    `#!/bin/sh\n[ "$1" = --schema ] && echo '${schema}' && exit\necho '{"x": "${out}'\necho ${err} >&2\nexit 4\n`,
    0o755,
  );
}

/** Returns every file in a folder, with its content. */
function filesOf(folder: string): [name: string, text: string][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => lstatSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name), "utf8")]);
}

/** Looks for each canary on stderr and in every file but the session's. */
function look(tally: Tally, canaries: Canaries, place: Place, { out, err }: Ran, printed: boolean): void {
  // The session, and the context's transcript in chibi's format, store the conversation.
  const files = filesOf(place.home).filter(
    ([name]) => !/^\.chibi\/contexts\/|^\.hookline\/(?:sessions\/|models\.json|cache\/(?:modules|texts)\/)/.test(name),
  );
  for (const [from, text] of canaries.entries()) {
    const found = files.find(([, content]) => content.includes(text))?.[0];
    const shown = err.includes(text) ? "stderr" : printed && out.includes(text) ? "stdout" : undefined;
    tally.trial((found ?? shown) && `${from} stands in ${found ?? shown}`);
  }
}

/**
 * Returns secrets in the forms in which error messages contain them; each must be removed where the message is
 * reported.
 */
function secretsIn(canaries: Canaries): Readonly<Record<string, string>> {
  const key = canaries.of("variable OPENAI_API_KEY");
  return {
    "a provider's key": key,
    "a provider's key in an address": `https://host/?q=${key}`,
    "a key known by its shape": `sk-${canaries.of("key by its shape")}`,
    "a bearer token": `authorization: Bearer ${canaries.of("bearer token")}`,
    "a password in an address": `https://me:${canaries.of("password in an address")}@host/`,
    "a password after its name": `db_password=${canaries.of("password after its name")}`,
  };
}

/** Adds hooks that fail with a message in four events, and one that cannot be loaded because of it. */
function furnishMessage(place: Place, message: string): void {
  place.write(".jcli/hooks.yaml", `post_send_message:\n  - command: "echo '${message}' >&2; exit 3"\n`);
  const thrown = `throw new Error(${JSON.stringify(message)});`;
  const handlers = ["input", "turn_start", "agent_end"].map((event) => `pi.on("${event}", () => { ${thrown} });`);
  place.write(".pi/extensions/tells.ts", `export default function (pi) {\n${handlers.join("\n")}\n}\n`);
  place.write("none.json", JSON.stringify({ replies: [] }));
  place.write(".omp/extensions/broken.ts", `${thrown}\nexport default () => {};\n`);
}

const TOLD = "this went wrong:";
/** Commands that print a report about loading to stdout, for a person or for programs. */
const REPORTS: readonly (readonly string[])[] = [
  ["hooks", "list"],
  ["hooks", "list", "--json"],
  ["doctor"],
  ["hooks", "stats"],
  ["--script", "none.json", "-p", "/hooks"],
];

/** R55: error messages of hooks and providers are reported to the person without the secrets in them. */
const messagesAreCleaned: Experiment = {
  id: "R55, in error messages",
  async run(tally) {
    const canaries = new Canaries();
    const secrets = secretsIn(canaries);
    const env = { OPENAI_API_KEY: canaries.of("variable OPENAI_API_KEY") };
    for (const [name, secret] of Object.entries(secrets)) {
      using place = new Place();
      const message = `${TOLD} ${secret}`;
      furnishMessage(place, message);
      const server = await startLoopback([{ error: { status: 400, message } }]);
      place.provider(server.url);
      const trace = join(place.hookline, "trace.jsonl");
      const args = ["--trust-project", "--model", "loop/model", "--trace", trace, "-p", "go"];
      const ran = await runAgent(place, args, { env });
      await server.close();
      // Four hooks, a module and the provider must report the message; if fewer do, the experiment proves nothing.
      const times = ran.err.split(TOLD).length - 1;
      tally.trial(times >= 6 ? undefined : `${name} was told ${times} times: ${ran.err.slice(0, 300)}`);
      look(tally, canaries, place, ran, true);
      for (const words of REPORTS)
        look(tally, canaries, place, await runAgent(place, [...words, "--trust-project"], { env }), true);
    }
    tally.figure(`${Object.keys(secrets).length} kinds of secrets`);
  },
};

/** R55: secrets in prompts, arguments, results, environment, headers, errors and hooks' output do not spread. */
const secretsStay: Experiment = {
  id: "R55",
  async run(tally) {
    for (const failing of [false, true]) {
      const canaries = new Canaries();
      using place = new Place();
      furnish(place, canaries);
      const env: Record<string, string> = Object.fromEntries(
        [...PROVIDER_KEYS, ...OTHERS].map((name) => [name, canaries.of(`variable ${name}`)]),
      );
      place.write("notes.txt", canaries.of("tool result"));
      const body = canaries.of("provider's error");
      const server = await startLoopback([
        {
          text: canaries.of("reply"),
          thinking: canaries.of("thinking"),
          toolCalls: [
            { name: "read", arguments: { path: "notes.txt" } },
            { name: "bash", arguments: { command: `true ${canaries.of("tool arguments")}` } },
            { name: "bash", arguments: { command: `echo ${canaries.of("tool failure")} >&2; false` } },
            { name: "nowhere", arguments: { secret: canaries.of("arguments of an unknown tool") } },
            { name: "read", argumentsRaw: `{"path": "${canaries.of("arguments that are no JSON")}` },
          ],
          headers: { "x-secret": canaries.of("response header") },
        },
        failing ? { error: { status: 400, message: body } } : { text: "done" },
      ]);
      const provider = {
        baseUrl: `${server.url}/v1`,
        api: "openai-completions",
        apiKey: canaries.of("provider key"),
        headers: { "x-own": canaries.of("request header") },
        models: [{ id: "model" }],
      };
      place.write("~/.hookline/models.json", JSON.stringify({ providers: { loop: provider } }), 0o600);
      const trace = join(place.hookline, "trace.jsonl");
      const prompt = `${canaries.of("prompt")} please`;
      const args = ["--trust-project", "--model", "loop/model", "--trace", trace, "-p", prompt];
      const ran = await runAgent(place, args, { env, stdin: canaries.of("stdin") });
      await server.close();
      // If the session lacks the prompt, the experiment proves nothing.
      const stored = filesOf(join(place.hookline, "sessions")).some(([, text]) => text.includes(canaries.of("prompt")));
      const failed = new Set(ran.err.match(/⚠ \S+ failed \([^;]*/g));
      tally.trial(stored && failed.size >= 10 ? undefined : `${failed.size} hooks failed: ${ran.err.slice(0, 300)}`);
      // A person may read a provider's error and a failing program's output, but they must not be stored.
      const theirs = canaries.entries().filter(([from]) => from.endsWith(" stderr") || from === "provider's error");
      const told = { ...ran, err: theirs.reduce((err, [, text]) => err.replaceAll(text, ""), ran.err) };
      look(tally, canaries, place, told, false);
      const stats = await runAgent(place, ["hooks", "stats"], { env });
      look(tally, canaries, place, stats, true);
      const doctor = await runAgent(place, ["doctor", "--json"], { env });
      look(tally, canaries, place, doctor, true);
      tally.figure(`${canaries.entries().length} canaries${failing ? ", the provider refusing" : ""}`);
    }
  },
};

export const claim: Claim = {
  name: "canaries",
  says: "secrets in prompts, arguments, results, keys, headers, errors and hooks' output appear in no log, trace or report",
  run: (size) => findingOf([secretsStay, messagesAreCleaned], size),
};
