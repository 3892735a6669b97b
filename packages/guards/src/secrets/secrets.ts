import { type CommandReader, loadReader } from "@hookline/runtime/command";
import { readSettings } from "../settings.ts";
import { secretFiles } from "./files.ts";
import { type Shown, shownBy } from "./judge.ts";
import { KnownSecrets } from "./known.ts";
import { strengthOf } from "./names.ts";
import { hostsIn, mayHave, variableSentBy } from "./outward.ts";
import { ownOf } from "./own.ts";
import { LIMIT_MS, type Redaction, redact, SecretNames, withheldText } from "./redact.ts";
import { Scanner } from "./scan.ts";

/** Options of the secrets guard, set once for a session. */
export interface SecretsOptions {
  /** The person's setting `guards.secrets`. */
  readonly settings?: unknown;
  /** The project's setting; only parts that make the guard stricter are used. */
  readonly projectSettings?: unknown;
  /** The environment variables, whose secret values are then recognised. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The texts of the project's `.env` files, whose secret values are then recognised. */
  readonly envFiles?: readonly string[];
  /** Hosts to which secrets may be sent, such as those of the project's git remotes. */
  readonly hosts?: readonly string[];
  /** The names that the session has given to secrets; none by default. */
  readonly names?: SecretNames;
}

/** Options for searching all texts in a value of objects and arrays for secrets. */
export interface SearchOptions {
  /** Time limit for the whole value in ms. After that, texts over 1,000 characters are withheld unsearched. */
  readonly limitMs?: number;
  /** Whether an object's key may mark its value as secret, as in a server's reply. */
  readonly byKey?: boolean;
  /** Whether to leave an object unsearched and unchanged, such as a message that the model wrote. */
  readonly leaves?: (part: object) => boolean;
  /** Returns the time in ms. */
  readonly now?: () => number;
}

/** A refusal, with its text for the model and the person. */
export interface Refusal {
  readonly deny: string;
}

/** Keeps the secrets of a machine and a project from the model and from other machines. */
export class Secrets {
  /** A sentence for each setting that could not be used. */
  readonly problems: readonly string[];
  readonly known = new KnownSecrets();
  readonly #names: SecretNames;
  readonly #clean = new CleanTexts();
  readonly #scanner: Scanner;
  readonly #show: ReadonlySet<string>;
  readonly #isSecret: (path: string) => boolean;
  readonly #hosts: readonly string[];
  readonly #reader: CommandReader;

  constructor(reader: CommandReader, options: SecretsOptions = {}) {
    const { settings, problems } = readSettings("secrets", options.settings, options.projectSettings);
    this.problems = problems;
    this.#names = options.names ?? new SecretNames();
    this.#reader = reader;
    this.#scanner = new Scanner(ownOf(settings));
    this.#show = new Set(settings.show);
    this.#isSecret = secretFiles(settings);
    this.#hosts = (options.hosts ?? []).map((host) => host.toLowerCase());
    for (const [name, value] of Object.entries(options.env ?? {}))
      if (value !== undefined) this.known.addVariable(name, value);
    this.learn(options.envFiles ?? []);
  }

  /** Adds the secret values of more `.env` files to the known ones. */
  learn(envFiles: readonly string[]): void {
    const { size } = this.known;
    for (const text of envFiles) this.known.addFile(text);
    if (this.known.size > size) this.#clean.forget();
  }

  /** Removes the secrets from a result, a prompt or a request. */
  redact(text: string, limitMs = LIMIT_MS, now?: () => number): Redaction {
    if (this.#clean.has(text)) return { text, findings: [], withheld: 0 };
    const { known } = this;
    this.#names.note(text);
    const scan = { scanner: this.#scanner, show: this.#show, limitMs, ...(now !== undefined && { now }) };
    const redaction = redact(text, this.#names, known, scan);
    if (redaction.withheld === 0) this.#clean.add(redaction.text);
    return redaction;
  }

  /**
   * Removes the secrets from every string in a value of objects and arrays, such as a request's body. Parts without
   * secrets are not copied: a value without any is returned itself. Images and signatures are left unchanged.
   */
  redactAll<T>(value: T, options: SearchOptions = {}): T {
    const { limitMs = LIMIT_MS, byKey = false, leaves = () => false, now = () => performance.now() } = options;
    const end = now() + limitMs;
    const change = (text: string, key: string): string => {
      if (text.length < SHORTEST) return text;
      const leftMs = end - now();
      if (leftMs <= 0 && text.length > ALWAYS_SEARCHED && !this.#clean.has(text))
        return withheldText(text.length, limitMs);
      const clean = this.redact(text, Math.max(1, leftMs), now).text;
      if (!byKey || clean !== text || strengthOf(key) === undefined || text.length > ALWAYS_SEARCHED) return clean;
      const [found] = this.redact(`${key}: ${JSON.stringify(text)}`).findings;
      return found === undefined ? clean : `[secret: ${found.name}]`;
    };
    return mapped(value, { change, leaves }) as T;
  }

  /** Refuses a text for a file if it contains a mark such as `[secret: npm token 1]`, which would replace a secret. */
  write(text: string): Refusal | undefined {
    const name = this.#names.nameIn(text);
    return name === undefined
      ? undefined
      : {
          deny: `Not written. [secret: ${name}] stands for a value that was not shown, and would take its place in the file. Change only the lines around it, or refer to the value by a variable. A person can edit the file.`,
        };
  }

  /** Judges which secret files and variables a shell text would show or send. */
  command(text: string): Refusal | undefined {
    const reading = this.#reader.read(text);
    if (!reading.isRead) {
      const file = text
        .split(/[\s'"`;|&<>()=]+/)
        .find((word) => word !== "" && word.length < 4096 && this.#isSecret(word));
      if (file !== undefined)
        return {
          deny: `Not run. The command cannot be read as a shell script, and it names ${file}, which holds secret values. Write it as simpler commands.`,
        };
    }
    const shown = shownBy(reading, this.#isSecret);
    if (shown !== undefined) return { deny: wordsFor(shown) };
    const sent = variableSentBy(reading, this.#hosts);
    if (sent !== undefined) return { deny: sentWords(sent.secret, sent.host) };
    return this.outward(text);
  }

  /** Judges the path of a file to be read. */
  read(path: string): Refusal | undefined {
    return this.#isSecret(path) ? { deny: wordsFor({ kind: "file", what: path, how: "shown" }) } : undefined;
  }

  /** Returns the name of a known secret that a text contains. */
  secretIn(text: string): string | undefined {
    return this.known.find(text).found[0]?.name;
  }

  /** Refuses a text for other machines, such as the arguments of a web tool, if it contains a known secret. */
  outward(text: string): Refusal | undefined {
    const foreign = hostsIn(text).filter((host) => !mayHave(host, "", this.#hosts));
    if (foreign.length === 0) return undefined;
    for (const { name } of this.known.find(text).found) {
      const host = foreign.find((one) => !mayHave(one, name, []));
      if (host !== undefined) return { deny: sentWords(name, host) };
    }
    return undefined;
  }
}

/** Loads the reader of shell commands, and makes a `Secrets` with these options. */
export async function loadSecrets(options: SecretsOptions = {}): Promise<Secrets> {
  return new Secrets(await loadReader(), options);
}

/** Minimum length, in characters, of a text that is searched for secrets. */
const SHORTEST = 6;
/** Texts up to this length are searched even after the time limit: withholding an id would break a reference to it. */
const ALWAYS_SEARCHED = 1_000;
const DEEPEST = 64;

/** Matches keys of signed or encrypted values. Providers of models verify these, so they must not change. */
const OPAQUE = /^(?:\w*signature|encrypted_?content)$/i;

const PICTURE = /^data:image\/[\w.+-]{1,40};base64,[A-Za-z0-9+/=]*$/;

interface Mapping extends Required<Pick<SearchOptions, "leaves">> {
  change(text: string, key: string): string;
}

/** Maps every string in a value, and returns an unchanged part itself. Leaves out what is nested too deeply. */
function mapped(value: unknown, mapping: Mapping, key = "", depth = 0): unknown {
  if (typeof value === "string") return OPAQUE.test(key) ? value : mapping.change(value, key);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || mapping.leaves(value)) return value;
  if (depth > DEEPEST) return "[withheld: nested too deeply to be searched for secrets]";
  const { mimeType, media_type: mediaType = mimeType } = value as Readonly<Record<string, unknown>>;
  const isPicture = typeof mediaType === "string" && mediaType.startsWith("image/");
  const entries = Object.entries(value);
  let changed: [string, unknown][] | undefined;
  for (const [at, [name, one]] of entries.entries()) {
    if (typeof one === "string" && ((isPicture && name === "data") || PICTURE.test(one))) continue;
    const put = mapped(one, mapping, Array.isArray(value) ? key : name, depth + 1);
    if (put !== one) (changed ??= [...entries])[at] = [name, put];
  }
  if (changed === undefined) return value;
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
}

const MOST_KEPT = 32_000_000;

/** Remembers texts without secrets, so that only the new parts of a request are searched. */
class CleanTexts {
  readonly #texts = new Set<string>();
  #characters = 0;

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    if (text.length < WORTH_KEEPING || this.#texts.has(text)) return;
    if (this.#characters > MOST_KEPT) this.forget();
    this.#texts.add(text);
    this.#characters += text.length;
  }

  /** Forgets all texts: more values are secret now, or too many texts are remembered. */
  forget(): void {
    this.#texts.clear();
    this.#characters = 0;
  }
}

const WORTH_KEEPING = 64;

/** Returns the text of a refusal: what would happen, why, what is allowed, and how a person can allow it. */
function wordsFor({ kind, what, how, instead }: Shown): string {
  const allow = "A person can allow it with guards.secrets.allowFiles.";
  if (kind === "file") {
    const names = `\`cut -d= -f1 ${what}\` shows the names.`;
    const isVariables = /(?:^|\/)\.env/.test(what);
    if (how === "sent")
      return `Not run. This would send ${what}, which holds secret values, to another machine. ${allow}`;
    if (how === "copied")
      return `Not run. This would copy ${what}, which holds secret values, to where it is not protected. Copy it under a name such as ${what}.backup. ${allow}`;
    if (how === "committed")
      return `Not run. ${what} holds secret values and would be committed. Add it to .gitignore. ${allow}`;
    return `Not read. ${what} holds secret values. ${isVariables ? `${names} ` : ""}Values are available to programs you start. ${allow}`;
  }
  const person = "A person can run it outside this session.";
  if (how === "sent") return `Not run. This would send secret values of \`${what}\` to another machine. ${person}`;
  if (kind === "environment")
    return `Not run. The environment holds secret values. \`env | cut -d= -f1\` shows the names. Values are available to programs you start. ${person}`;
  if (kind === "variable")
    return `Not run. ${what} holds a secret value. \`\${#${what}}\` shows its length. Its value is available to programs you start. ${person}`;
  return `Not run. \`${what}\` prints a secret. ${instead === undefined ? "Pass it on in a pipe or a variable, to the program that needs it." : `Use \`${instead}\`, or pass it on in a pipe or a variable.`} ${person}`;
}

function sentWords(secret: string, host: string): string {
  return `Not run. This sends the secret ${secret} to ${host}, which is not a host of this project. A person can run it outside this session.`;
}
