import { existsSync } from "node:fs";
import { chooseFrom, type Fields, isFields, messageOf } from "@hookline/ground";
import { textAt } from "@hookline/ground/system";
import { type Expectation, WORDS, type Word } from "./verdict.ts";

/** One event and its expected result. */
export interface HookCase {
  /** The path of the file that contains the case. */
  readonly path: string;
  /** The line of the case in its file, from 1. */
  readonly line: number;
  readonly name: string;
  /** `EVENT` or `DIALECT:EVENT`, as for `hooks fire`. */
  readonly event: string;
  readonly tool?: string;
  /** The tool's arguments, with hookline's own names. */
  readonly args?: Fields;
  /** Fields of the event that replace those of hookline's sample event. */
  readonly payload: Fields;
  readonly expect: Expectation;
  /** The id of the only hook that is asked. Default: every hook is asked. */
  readonly only?: string;
}

/** The contents of a file of cases. */
export interface CaseFile {
  readonly path: string;
  /** Hook files that are loaded in an empty home folder; without them, the hooks of the folder are asked. */
  readonly hooks?: readonly string[];
  /** The contents of the files that the hooks may read, by file name. */
  readonly fixtures: Readonly<Record<string, string>>;
  readonly cases: readonly HookCase[];
  /** Problems of the file, each with its line if known. A file with problems runs none of its cases. */
  readonly problems: readonly { readonly line?: number; readonly problem: string }[];
}

const FILE_KEYS = ["hooks", "fixtures", "event", "cases", "$schema"];
const CASE_KEYS = ["name", "event", "tool", "args", "payload", "expect", "table", "probe"];
const EXPECT_KEYS = ["decision", "text", "edit", "answer", "by", "fails"];
const DEFAULT_EVENT = "tool.before";

/** Reads a file of cases (`*.hooks-test.yaml`). Never throws: problems are returned with their lines. */
export async function readCaseFile(path: string): Promise<CaseFile> {
  let text: string;
  try {
    text = textAt(path);
  } catch (thrown) {
    const problem = existsSync(path) ? messageOf(thrown) : "there is no such file";
    return { path, fixtures: {}, cases: [], problems: [{ problem }] };
  }
  const { LineCounter, isMap, isNode, isSeq, parseDocument } = await import("@hookline/ground/yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined)
    return {
      path,
      fixtures: {},
      cases: [],
      problems: [{ line: lines.linePos(error.pos[0]).line, problem: error.message }],
    };
  const lineAt = (...at: readonly (string | number)[]): number => {
    let node: unknown = document.contents;
    let line = 1;
    for (const step of at) {
      node = isMap(node) || isSeq(node) ? node.get(step, true) : undefined;
      if (isNode(node) && node.range) line = lines.linePos(node.range[0]).line;
    }
    return line;
  };
  return new Reading(path, lineAt).file(document.toJS({ maxAliasCount: 100 }));
}

class Reading {
  readonly #path: string;
  readonly #lineAt: (...at: readonly (string | number)[]) => number;
  readonly #problems: { readonly line: number; readonly problem: string }[] = [];
  readonly #cases: HookCase[] = [];

  constructor(path: string, lineAt: (...at: readonly (string | number)[]) => number) {
    this.#path = path;
    this.#lineAt = lineAt;
  }

  file(value: unknown): CaseFile {
    const path = this.#path;
    if (!isFields(value)) {
      this.#wrong([], "it is not a mapping; write `cases:` and a list");
      return { path, fixtures: {}, cases: [], problems: this.#problems };
    }
    this.#unknown(value, FILE_KEYS, []);
    const { cases, hooks, fixtures = {}, event = DEFAULT_EVENT } = value;
    if (!Array.isArray(cases) || cases.length === 0)
      this.#wrong(["cases"], '"cases" must be a list with at least one case');
    if (hooks !== undefined && !isTexts(hooks)) this.#wrong(["hooks"], '"hooks" must be a list of paths');
    if (!isFields(fixtures) || !Object.values(fixtures).every((one) => typeof one === "string"))
      this.#wrong(["fixtures"], '"fixtures" must map names of files to their texts');
    for (const [i, one] of (Array.isArray(cases) ? cases : []).entries()) this.#case(one, i, event);
    return {
      path,
      fixtures: isFields(fixtures) ? (fixtures as Record<string, string>) : {},
      cases: this.#cases,
      problems: this.#problems,
      ...(isTexts(hooks) && { hooks }),
    };
  }

  #case(given: unknown, i: number, event: unknown): undefined {
    if (!isFields(given)) return this.#wrong(["cases", i], "a case must be a mapping");
    const { table, ...base } = given;
    if (table === undefined) return this.#one({ event, ...base }, ["cases", i]);
    const [head, ...rows] = Array.isArray(table) ? table : [];
    if (!isTexts(head) || rows.length === 0 || !rows.every((row) => Array.isArray(row) && row.length === head.length))
      return this.#wrong(
        ["cases", i, "table"],
        '"table" must be a list of rows of one length, the first with the names of the columns',
      );
    for (const [r, row] of (rows as readonly (readonly unknown[])[]).entries()) {
      let one: Fields = { event, ...base };
      for (const [c, column] of head.entries()) one = put(one, column.split("."), row[c]);
      const name = [
        base["name"],
        row
          .slice(0, -1)
          .map((cell) => (typeof cell === "string" ? cell : JSON.stringify(cell)))
          .join(", "),
      ];
      this.#one(
        {
          ...one,
          name:
            "name" in one && head.includes("name")
              ? one["name"]
              : name.filter((part) => part !== undefined && part !== "").join(": "),
        },
        ["cases", i, "table", r + 1],
      );
    }
  }

  #one(given: Fields, at: readonly (string | number)[]): undefined {
    if (this.#unknown(given, CASE_KEYS, at)) return undefined;
    const { name, event, tool, args, payload = {}, expect } = given;
    if (typeof event !== "string") return this.#wrong(at, '"event" must be the name of an event');
    if (tool !== undefined && typeof tool !== "string") return this.#wrong(at, '"tool" must be the name of a tool');
    if (args !== undefined && !isFields(args)) return this.#wrong(at, '"args" must be a mapping');
    if (!isFields(payload)) return this.#wrong(at, '"payload" must be a mapping');
    if (given["probe"] !== undefined && typeof given["probe"] !== "boolean")
      return this.#wrong(at, '"probe" must be true or false');
    if (name !== undefined && typeof name !== "string") return this.#wrong(at, '"name" must be a text');
    const expected = this.#expectation(expect, at);
    if (expected === undefined) return;
    this.#cases.push({
      path: this.#path,
      line: this.#lineAt(...at),
      name: name === undefined || name === "" ? `${event}${tool === undefined ? "" : ` ${tool}`}` : name,
      event,
      payload,
      expect: expected,
      ...(tool !== undefined && { tool }),
      ...(args !== undefined && { args }),
    });
  }

  #expectation(given: unknown, at: readonly (string | number)[]): Expectation | undefined {
    const isWord = (value: unknown): value is Word => (WORDS as readonly unknown[]).includes(value);
    if (isWord(given)) return { verdict: given };
    const wrong = (problem: string): undefined => this.#wrong([...at, "expect"], problem);
    if (given === undefined)
      return wrong(`the case does not say what it expects; write "expect" with one of ${WORDS.join(", ")}`);
    if (!isFields(given))
      return wrong(`${JSON.stringify(given)} is not an expectation. ${chooseFrom(String(given), WORDS)}`);
    const before = this.#problems.length;
    this.#unknown(given, EXPECT_KEYS, [...at, "expect"]);
    const { decision, text, edit, answer, by, fails } = given;
    if (decision !== undefined && !isWord(decision))
      wrong(`${JSON.stringify(decision)} is not a decision. ${chooseFrom(String(decision), WORDS)}`);
    for (const [key, value] of Object.entries({ text, by }))
      if (value !== undefined && typeof value !== "string") wrong(`"${key}" must be a text`);
    for (const [key, value] of Object.entries({ edit, answer }))
      if (value !== undefined && !isFields(value)) wrong(`"${key}" must be a mapping`);
    if (fails !== undefined && typeof fails !== "boolean") wrong('"fails" must be true or false');
    if (typeof text === "string" && patternProblem(text) !== undefined) wrong(`"text": ${patternProblem(text)}`);
    if (Object.keys(given).length === 0) wrong(`"expect" is empty. ${chooseFrom("", WORDS)}`);
    if (this.#problems.length > before) return undefined;
    return { ...(given as Expectation), ...(decision !== undefined && { verdict: decision as Word }) };
  }

  /** Reports each unknown field of the file; returns whether there is one. */
  #unknown(given: Fields, known: readonly string[], at: readonly (string | number)[]): boolean {
    const unknown = Object.keys(given).filter((name) => !known.includes(name));
    for (const name of unknown) this.#wrong([...at, name], `"${name}" is not known here. ${chooseFrom(name, known)}`);
    return unknown.length > 0;
  }

  /** Adds a problem to the result. Returns undefined, which the caller can return instead of a value. */
  #wrong(at: readonly (string | number)[], problem: string): undefined {
    this.#problems.push({ line: this.#lineAt(...at), problem });
    return undefined;
  }
}

/** Returns a copy with a value set at a path. */
function put(fields: Fields, [name = "", ...rest]: readonly string[], value: unknown): Fields {
  if (rest.length === 0) return { ...fields, [name]: value };
  const inner = fields[name];
  return { ...fields, [name]: put(isFields(inner) ? inner : {}, rest, value) };
}

function patternProblem(text: string): string | undefined {
  const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(text) ?? [];
  if (source === undefined) return undefined;
  try {
    new RegExp(source, flags);
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
