import { readFileSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type Guard, type GuardAnswer, type GuardCase, type GuardedEvent, guard } from "@hookline/runtime/guard";
import { type GuardSession, settingsIn } from "../session.ts";
import type { SettingsOf } from "../settings.ts";
import { type Opened, openSecrets } from "./project.ts";
import type { Refusal, SearchOptions, Secrets } from "./secrets.ts";

/** Time limit for searching a whole request, in ms. Texts that were searched before and found clean are skipped. */
const REQUEST_MS = 2_000;
/** A longer output is not kept on disk, since its search would take too long. */
const MAX_OUTPUT_BYTES = 8_000_000;

type Args = Readonly<Record<string, unknown>>;
type Answer = GuardAnswer<"tool.before">;

/** Names of a tool's arguments that contain paths (`PATHS`) or a shell command (`COMMANDS`). */
const PATHS =
  /^(?:(?:abs(?:olute)?|file|target|notebook|relative|source|image)?_?(?:path|file(?:_?name)?)s?|uri|glob|include)$/i;
const COMMANDS = /^(?:command|cmd|script)$/i;
/** Names of tools that change files (`WRITES`), and of tools that list the names of files (`LISTS`). */
const WRITES =
  /^(?:write|edit|create|replace|insert|apply_?patch)|(?:_|^)(?:write|edit|create|replace|delete|move)(?:_|$)|edit$/i;
const LISTS =
  /^(?:find|ls|glob|list)$|^(?:find|list|glob)_?(?:files?|folders?|dirs?|director(?:y|ies)|names?)(?:_|$)|list_?dir/i;
/** Tools that send their arguments to a server. */
const SENDS = /^mcp__|web|fetch|search|browse|http/i;

/** Judges what a call would read, write or send. */
function judgeCall(secrets: Secrets, names: readonly string[], args: Args, cwd: string): Answer {
  const isOne = (kind: RegExp): boolean => names.some((name) => kind.test(name));
  const values = textsOf(args);
  // One tool both shows and changes files, depending on its `command` argument.
  const writes = isOne(WRITES) && args["command"] !== "view";
  const refused = (refusal: Refusal | undefined): refusal is Refusal => refusal !== undefined;
  const judged = values.map(({ key, text }) => {
    if (COMMANDS.test(key)) return secrets.command(text);
    if (PATHS.test(key))
      return writes || isOne(LISTS) ? undefined : (secrets.read(text) ?? secrets.read(realOf(resolve(cwd, text))));
    return writes ? secrets.write(text) : undefined;
  });
  const refusal = judged.find(refused);
  const sends = isOne(SENDS);
  if (refusal !== undefined || (writes && !sends)) return refusal;
  const all = values.map(({ text }) => text).join("\n");
  const sent = secrets.outward(all);
  if (sent !== undefined || !sends) return sent;
  const name = secrets.secretIn(all);
  return name === undefined
    ? undefined
    : { ask: `This gives the secret ${name} to ${names[0]}. Is that server meant to have it?` };
}

interface Text {
  /** The name of the call's argument that is the text or contains it. */
  readonly key: string;
  readonly text: string;
}

const DEEPEST = 16;

/** Returns every text in a call's arguments. A list of words for a shell is one text. */
function textsOf(value: unknown, key = "", depth = 0): Text[] {
  if (typeof value === "string") return [{ key, text: value }];
  if (typeof value !== "object" || value === null || depth > DEEPEST) return [];
  if (Array.isArray(value) && COMMANDS.test(key)) return commandOf(value.map(String), key);
  return Object.entries(value).flatMap(([name, one]) => textsOf(one, Array.isArray(value) ? key : name, depth + 1));
}

/** Returns `SCRIPT` of `bash -c SCRIPT`. Any other command is one text, with each word quoted as for a shell. */
function commandOf(words: readonly string[], key: string): Text[] {
  const [program = "", option = "", text = ""] = words;
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-[a-z]*c$/.test(option);
  return [{ key, text: isShell ? text : words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ") }];
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Whether the file with a command's whole output may stay on disk: it was searched to its end and holds no secret. */
function isCleanFile(secrets: Secrets, path: string): boolean {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return true;
    if (stat.size > MAX_OUTPUT_BYTES) return false;
    const { findings, withheld } = secrets.redact(readFileSync(path, "utf8"));
    return findings.length === 0 && withheld === 0;
  } catch {
    return true;
  }
}

type Result = Pick<Payload, "content" | "details">;
type Payload = GuardedEvent<"tool.after", string>;

/**
 * Removes the secrets from a result. If the file with the whole output may hold secrets, adds a note that it was not
 * kept: the agent deletes that file whenever a hook has changed the result.
 */
function redactResult(secrets: Secrets, { content, details }: Result): Partial<Result> | undefined {
  const clean = secrets.redactAll({ content, details }, { byKey: true });
  const { fullOutputPath } = (details ?? {}) as { readonly fullOutputPath?: unknown };
  const paths = [
    fullOutputPath,
    ...content.map((part) => (part.type === "text" ? OUTPUT.exec(part.text)?.[1] : undefined)),
  ];
  const isKept = paths.every((path) => typeof path !== "string" || isCleanFile(secrets, path));
  const kept = isKept ? clean.content : [...clean.content, { type: "text" as const, text: NOT_KEPT }];
  if (kept === content && clean.details === details) return undefined;
  return { content: kept, ...(clean.details !== details && { details: clean.details }) };
}

const OUTPUT = /Full output: (.+?\.log)/;
const NOT_KEPT = "[The whole output was not kept: it holds secrets, or is too long to be searched for them.]";

/** Skips the model's own messages: its provider knows their text, and checks that it comes back unchanged. */
const ofRequest: SearchOptions = {
  limitMs: REQUEST_MS,
  leaves: (part) => (part as { readonly role?: unknown }).role === "assistant",
};

/** A key of no real account, in pieces so that scanners do not find it in this file. */
const EXAMPLE = ["sk", "live", "Zx81kQpLmW40vBtR92aYhNcD"].join("_");
const SAID = { role: "user", content: [{ type: "text", text: `use ${EXAMPLE}` }], timestamp: 0 };
const KIND = "stripe key";
const REDACTED: GuardCase["expect"] = { decision: "edit", text: `[secret: ${KIND}` };

const CALLS: readonly GuardCase[] = [
  // No setting allows this command, so its denial proves that the guard works.
  { args: { command: "env" }, expect: "deny" },
  { args: { command: "cat .env" }, expect: "deny", probe: false },
  { args: { command: "git add -f .env && git commit -m all" }, expect: "deny" },
  { tool: "read", args: { path: ".env.production" }, expect: "deny" },
  { tool: "grep", args: { pattern: "KEY", path: "id_rsa" }, expect: "deny" },
  { args: { command: "cut -d= -f1 .env" }, expect: "none" },
  { args: { command: "git commit -m 'do not cat .env'" }, expect: "none" },
  { tool: "read", args: { path: ".env.example" }, expect: "none" },
  { tool: "write", args: { path: ".env", content: "PORT=3000\n" }, expect: "none" },
];

/**
 * Makes the guards that keep secrets from the model and from other machines. Calls that would read or send secrets are
 * refused (`tool.before`). In results, prompts, messages and requests (`tool.after`, `prompt.before`, `message.end`,
 * `model.context`, `model.request`) each secret is replaced by a name such as `[secret: stripe key 1]`, which stays the
 * same for the same secret. Secret values of this process's variables and of the project's `.env` files are recognised
 * anywhere. A text is searched for at most half a second, a request for two; what was not searched by then is withheld.
 * `settings` override those of `session`. Throws an `Error` that names the setting for a wrong value.
 */
export function secrets(settings: Partial<SettingsOf<"secrets">> = {}, session: GuardSession = {}): readonly Guard[] {
  const own = settingsIn("secrets", settings, session);
  const cwd = session.cwd ?? process.cwd();
  // Leaves these cases out if the settings show secrets of this kind: they expect it to be redacted.
  const redacts = (...cases: readonly GuardCase[]) => (own.show.includes(KIND) ? {} : { cases });
  let opening: Promise<Opened> | undefined;
  const opened = async (): Promise<Opened> => (opening ??= openSecrets(own, cwd, session.project));
  return [
    guard({
      name: "secrets",
      on: "tool.before",
      run: async ({ tool, aliases = [], args }) => judgeCall((await opened()).secrets, [tool, ...aliases], args, cwd),
      cases: CALLS.map((one) => ({ tool: "bash", ...one })),
    }),
    guard({
      name: "secrets in results",
      on: "tool.after",
      run: async (result) => redactResult((await opened()).now(), result),
      ...redacts({
        tool: "bash",
        args: { command: "./show" },
        payload: { content: [{ type: "text", text: `key ${EXAMPLE}` }], details: {}, isError: false, blocked: false },
        expect: REDACTED,
      }),
    }),
    guard({
      name: "secrets in prompts",
      on: "prompt.before",
      async run({ text: given }, call) {
        const { text, findings } = (await opened()).now().redact(given);
        if (text === given) return undefined;
        const names = [...new Set(findings.map(({ name }) => name))].join(", ");
        call.notice(
          names === ""
            ? "Your prompt is too long to be searched for secrets in time. Its end was left out. Put it into a file."
            : `Your prompt has secrets. In their place the model reads their names: ${names}. Programs that it starts can use what you put into .env.`,
        );
        return { text };
      },
      ...redacts({ payload: { text: `use ${EXAMPLE}` }, expect: REDACTED }),
    }),
    guard({
      name: "secrets in messages",
      on: "message.end",
      async run({ message }) {
        if (message.role === "assistant") return undefined;
        const clean = (await opened()).secrets.redactAll(message, { byKey: true });
        return clean === message ? undefined : { message: clean };
      },
      ...redacts({ payload: { message: SAID }, expect: "edit" }),
    }),
    guard({
      name: "secrets in context",
      on: "model.context",
      async run({ messages, systemPrompt }) {
        const given = { messages, systemPrompt };
        const clean = (await opened()).secrets.redactAll(given, ofRequest);
        return clean === given ? undefined : clean;
      },
      ...redacts({ payload: { messages: [SAID], systemPrompt: "" }, expect: "edit" }),
    }),
    guard({
      name: "secrets in requests",
      on: "model.request",
      async run({ request }) {
        const clean = (await opened()).secrets.redactAll(request, ofRequest);
        return clean === request ? undefined : { request: clean };
      },
      ...redacts({
        payload: { request: { ...{ model: { id: "", provider: "" }, systemPrompt: "", tools: [] }, messages: [SAID] } },
        expect: "edit",
      }),
    }),
  ];
}
