import { chooseFrom, guess, MAX_MS } from "@hookline/ground";
import { DEFAULTS, type Definition, type HookType } from "./definition.ts";
import { FILTER_KEYS, type Filter } from "./filter.ts";
import { bad, type Finding, lint } from "./finding.ts";
import type { RawNode, RawPair } from "./yaml.ts";

/** Options for reading one hook's entry in a configuration file. */
export interface EntryRules {
  /** Whether the file is one of hookline's own, where unknown keys are refused (ruling 6d). */
  readonly own: boolean;
  /** Whether the file was not valid UTF-8, so that its texts may contain replacement characters. */
  readonly lossy: boolean;
}

/** A parsed entry of a configuration file. It has no definition if one of the findings is fatal. */
export interface EntryReading {
  readonly line: number;
  readonly definition: Omit<Definition, "events"> | undefined;
  readonly findings: readonly Finding[];
}

/** The keys of a hook's entry. Source: seed 003, "Hook 类型". */
const ENTRY_KEYS: readonly string[] = ["type", "command", "prompt", "model", "timeout", "retry", "on_error", "filter"];

/** The shells that a `HOOK.yaml` may name as `runtime`. Each takes a command after `-c`. */
const SHELLS: readonly string[] = ["sh", "bash", "zsh"];

/** Parses one entry of a hooks file. `also` are keys that are known but read elsewhere. */
export function readEntry(node: RawNode, rules: EntryRules, also: readonly string[] = []): EntryReading {
  if (node.kind !== "map") return { line: node.line, definition: undefined, findings: [notMap(node)] };
  const reader = new EntryReader(node.pairs, rules);
  const definition = reader.definition(node.line, also);
  return { line: node.line, definition, findings: reader.findings };
}

class EntryReader {
  readonly findings: Finding[] = [];
  readonly #pairs: readonly RawPair[];
  readonly #rules: EntryRules;
  #refused = false;

  constructor(pairs: readonly RawPair[], rules: EntryRules) {
    this.#pairs = pairs;
    this.#rules = rules;
  }

  definition(line: number, also: readonly string[]): EntryReading["definition"] {
    this.#keys(this.#pairs, [...ENTRY_KEYS, ...also], "entry");
    const type = (this.#choice("type", ["bash", "llm"]) ?? "bash") as HookType;
    const command = this.#text("command");
    const prompt = this.#text("prompt");
    const model = this.#text("model");
    const timeoutMs = this.#timeout() ?? DEFAULTS[type].timeoutMs;
    const retry = this.#whole("retry", 0, 2 ** 32 - 1) ?? DEFAULTS[type].retry;
    const onError = this.#choice("on_error", ["skip", "abort", "stop"]);
    const filter = this.#filter();
    const shell = also.includes("runtime") ? this.#choice("runtime", SHELLS) : undefined;
    const text = type === "bash" ? command : prompt;
    const key = type === "bash" ? "command" : "prompt";
    if (text === undefined && !this.#refused)
      this.#refuse(
        line,
        `the hook of type ${type} has no ${key}`,
        type === "bash" && prompt !== undefined ? 'Add "type: llm", or give a command.' : `Add "${key}: …".`,
      );
    this.#idle(type, { command, prompt, model });
    if (this.#refused || text === undefined) return undefined;
    return {
      type,
      text,
      ...(model !== undefined && type === "llm" && { model }),
      timeoutMs,
      retry,
      onError: onError === undefined || onError === "skip" ? "skip" : "abort",
      filter,
      ...(shell !== undefined && shell !== "sh" && { shell }),
    };
  }

  /** Reports keys that have an effect only on the other type of hook. */
  #idle(type: HookType, given: Readonly<Record<string, string | undefined>>): void {
    for (const key of type === "bash" ? ["prompt", "model"] : ["command"]) {
      if (given[key] === undefined || (key === "prompt" && given["command"] === undefined)) continue;
      this.findings.push(
        lint(
          this.#find(key)?.line ?? 1,
          `${key} has no effect on a hook of type ${type}`,
          `Remove it, or write "type: ${type === "bash" ? "llm" : "bash"}".`,
        ),
      );
    }
  }

  #keys(pairs: readonly RawPair[], known: readonly string[], where: string): void {
    const seen = new Set<string>();
    for (const { key, line } of pairs) {
      if (seen.has(key)) this.#refuse(line, `the ${where} has the key "${key}" twice`, "Keep one of the two.");
      seen.add(key);
      if (known.includes(key)) continue;
      if (this.#rules.own) this.#refuse(line, `unknown key "${key}"`, chooseFrom(key, known));
      else this.findings.push({ line, code: "UNKNOWN_KEY", details: { key, guess: guess(key, known) } });
    }
  }

  #find(key: string, pairs = this.#pairs): RawPair | undefined {
    return pairs.find((pair) => pair.key === key);
  }

  /** Reads a text that is not empty. Numbers and booleans count as texts. */
  #text(key: string, pairs = this.#pairs): string | undefined {
    const pair = this.#find(key, pairs);
    if (pair === undefined || pair.value.kind === "nothing") return undefined;
    const { value, line } = pair;
    if (value.kind !== "text")
      return this.#refuse(
        line,
        `${key} must be text, not ${shape(value)}`,
        `Write ${key}: "…" on one line, or use | and indent.`,
      );
    if (value.text.trim() === "") return this.#refuse(line, `${key} is empty`, `Give a ${key}, or remove the entry.`);
    if (value.text.includes("\0")) return this.#refuse(line, `${key} contains a NUL character`, "Remove it.");
    if (this.#rules.lossy && value.text.includes("\uFFFD"))
      return this.#refuse(line, `${key} is not valid UTF-8`, "Save the file as UTF-8.");
    return value.text;
  }

  #choice(key: string, choices: readonly string[]): string | undefined {
    const pair = this.#find(key);
    if (pair === undefined || pair.value.kind === "nothing") return undefined;
    const given = pair.value.kind === "text" ? pair.value.text : "";
    if (choices.includes(given)) return given;
    const problem =
      pair.value.kind === "text" ? `${key} cannot be "${given}"` : `${key} must be a word, not ${shape(pair.value)}`;
    const hint = guess(given, choices);
    return this.#refuse(pair.line, problem, `Write one of ${choices.join(", ")}, in lower case. ${hint}`.trim());
  }

  #timeout(): number | undefined {
    const seconds = this.#whole("timeout", 1, Number.MAX_SAFE_INTEGER);
    if (seconds === undefined || seconds * 1000 <= MAX_MS) return seconds === undefined ? undefined : seconds * 1000;
    const line = this.#find("timeout")?.line ?? 1;
    this.findings.push({
      line,
      code: "LIMIT_CLAMPED",
      details: { what: "timeout", given: `${seconds} s`, used: `${MAX_MS} ms`, remedy: "Lower the timeout." },
    });
    return MAX_MS;
  }

  #whole(key: string, least: number, most: number): number | undefined {
    const pair = this.#find(key);
    if (pair === undefined || pair.value.kind === "nothing") return undefined;
    const unit = key === "timeout" ? " of seconds" : "";
    const remedy = `Write a whole number${unit} from ${least}, without quotes, such as "${key}: ${key === "timeout" ? 10 : 1}".`;
    const { value, line } = pair;
    if (value.kind !== "text") return this.#refuse(line, `${key} must be a number, not ${shape(value)}`, remedy);
    if (value.quoted) return this.#refuse(line, `${key} is text, not a number`, remedy);
    if (!/^\+?(?:\d+|0x[\da-f]+|0o[0-7]+|0b[01]+)$/i.test(value.text))
      return this.#refuse(line, `${key} is not a whole number`, remedy);
    const number = Number(value.text.replace("+", ""));
    if (number < least || number > most) return this.#refuse(line, `${key} is out of range`, remedy);
    return number;
  }

  #filter(): Filter {
    const pair = this.#find("filter");
    if (pair === undefined || pair.value.kind === "nothing") return {};
    if (pair.value.kind !== "map") {
      this.#refuse(
        pair.line,
        `filter must be a map, not ${shape(pair.value)}`,
        'Write "filter:" and below it, indented, "tool_name: Bash".',
      );
      return {};
    }
    const { pairs } = pair.value;
    this.#keys(pairs, FILTER_KEYS, "filter");
    const found = FILTER_KEYS.map((key) => [key, this.#text(key, pairs)] as const);
    return Object.fromEntries(found.filter(([, value]) => value !== undefined));
  }

  #refuse(line: number, problem: string, remedy: string): undefined {
    this.#refused = true;
    this.findings.push(bad(line, problem, remedy));
  }
}

function notMap(node: RawNode): Finding {
  if (node.kind === "text") return bad(node.line, "the entry is a text, not a map", 'Write "- command: …".');
  if (node.kind === "nothing") return bad(node.line, "the entry is empty", 'Write "- command: …", or remove the dash.');
  return bad(node.line, "the entry is a list, not a map", 'Write "- command: …" with a single dash.');
}

/** Returns the name of a YAML node's kind, for messages. */
export function shape(node: RawNode): string {
  const names = { text: "text", nothing: "nothing", map: "a map", list: "a list" };
  return names[node.kind];
}
