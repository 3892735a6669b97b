import { fromInstallation } from "@hookline/ground";
import { JSON_LIMITS } from "@hookline/runtime/engine";
import type { Alias, Document, LineCounter, Node } from "yaml";

/** A YAML node with its 1-based line. Scalars are kept as text, whatever type they look like. */
export type RawNode =
  | { readonly kind: "text"; readonly line: number; readonly text: string; readonly quoted: boolean }
  | { readonly kind: "nothing"; readonly line: number }
  | { readonly kind: "map"; readonly line: number; readonly pairs: readonly RawPair[] }
  | { readonly kind: "list"; readonly line: number; readonly items: readonly RawNode[] };

/** A key of a map with its value. */
export interface RawPair {
  readonly key: string;
  readonly line: number;
  readonly value: RawNode;
}

/** A problem in a YAML text, and its line. */
export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}

/** A parsed document and its problems, most severe first. */
export interface RawDocument {
  /** The top node of the document; absent if the file has no content. */
  readonly root: RawNode | undefined;
  readonly problems: readonly LineProblem[];
}

const MAX_NODES = 100_000;
const MAX_COLUMNS = 1024;

/**
 * Parses one YAML document and keeps the lines of its nodes. The parser is loaded on first use. If there are problems,
 * `root` is only a partial result that must not be relied on.
 */
export async function parseYaml(text: string, firstLine = 1): Promise<RawDocument> {
  const shift = firstLine - 1;
  const deep = tooDeepAt(text);
  // The parser is recursive, so very deep nesting would crash the process.
  if (deep !== undefined) return failedAt(deep + shift, "it is nested too deep");
  const yaml = await fromInstallation("yaml", () => import("yaml"));
  const lines = new yaml.LineCounter();
  try {
    const document = yaml.parseDocument(text, {
      schema: "failsafe",
      uniqueKeys: false,
      merge: false,
      prettyErrors: false,
      logLevel: "error",
      lineCounter: lines,
    });
    const tabs = document.errors.filter(({ code }) => code === "TAB_AS_INDENT");
    const errors = [...tabs, ...document.errors.filter((error) => !tabs.includes(error))];
    const problems = errors.map(({ code, message, pos }) => ({
      line: lines.linePos(pos[0]).line + shift,
      problem: REMEDIES[code] ?? (message.startsWith("Implicit map keys") ? UNKEYED : message),
    }));
    const walk = new Walk(yaml, document, lines, shift);
    const root = document.contents === null ? undefined : walk.node(document.contents, 0);
    return { root, problems: [...problems, ...walk.problems] };
  } catch {
    return failedAt(1 + shift, "the YAML parser gave up on it");
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "a tab is used for indentation; YAML wants spaces",
  MULTIPLE_DOCS: "a second YAML document begins here; only the first is read, so remove the ---",
  BAD_SCALAR_START: "a value cannot begin with this character; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a value contains a colon and a space; put it in quotes",
};

const UNKEYED = "this is no key: a key has a colon and a blank behind it";

function failedAt(line: number, problem: string): RawDocument {
  return { root: undefined, problems: [{ line, problem }] };
}

/** Returns the first line that is nested deeper than allowed. */
function tooDeepAt(text: string): number | undefined {
  let open = 0;
  let line = 1;
  for (const one of text.split("\n")) {
    const lead = /^[ \t]*(?:[-?:][ \t]+)*/.exec(one)?.[0].length ?? 0;
    for (const mark of one.match(/[[\]{}]/g) ?? []) {
      open = mark === "[" || mark === "{" ? open + 1 : Math.max(0, open - 1);
      if (open > JSON_LIMITS.depth) return line;
    }
    if (lead > MAX_COLUMNS) return line;
    line += 1;
  }
  return undefined;
}

type Yaml = typeof import("yaml");

/** Converts the parser's tree to plain nodes. Follows aliases until there are too many nodes or levels. */
class Walk {
  readonly problems: LineProblem[] = [];
  readonly #yaml: Yaml;
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #shift: number;
  readonly #targets = new Map<Alias, Node>();
  #count = 0;

  constructor(yaml: Yaml, document: Document, lines: LineCounter, shift: number) {
    this.#yaml = yaml;
    this.#document = document;
    this.#lines = lines;
    this.#shift = shift;
  }

  node(node: Node | null | undefined, depth: number, near = 1): RawNode {
    const line = this.#line(node, near);
    if (node === null || node === undefined) return { kind: "nothing", line };
    this.#count += 1;
    if (depth > JSON_LIMITS.depth || this.#count > MAX_NODES) {
      if (this.#count <= MAX_NODES + 1) this.problems.push({ line, problem: "it is too large, or nested too deep" });
      this.#count = MAX_NODES + 1;
      return { kind: "nothing", line };
    }
    if (this.#yaml.isAlias(node)) {
      const target = this.#targetOf(node);
      if (target !== undefined) return this.node(target, depth + 1, line);
      this.problems.push({ line, problem: `the alias *${node.source} refers to nothing` });
      return { kind: "nothing", line };
    }
    if (this.#yaml.isMap(node)) {
      const pairs = node.items.map(({ key, value }): RawPair => {
        const name = this.node(key as Node | null, depth + 1, line);
        return {
          key: name.kind === "text" ? name.text : "",
          line: name.line,
          value: this.node(value as Node | null, depth + 1, name.line),
        };
      });
      return { kind: "map", line, pairs };
    }
    if (this.#yaml.isSeq(node))
      return { kind: "list", line, items: node.items.map((item) => this.node(item as Node | null, depth + 1, line)) };
    const { value, type } = node as { value?: unknown; type?: string };
    const text = typeof value === "string" ? value : "";
    const quoted = type !== "PLAIN";
    return !quoted && NULLS.has(text) ? { kind: "nothing", line } : { kind: "text", line, text, quoted };
  }

  /** Returns the target of an alias, cached because the parser searches the whole document for it. */
  #targetOf(alias: Alias): Node | undefined {
    const known = this.#targets.get(alias);
    if (known !== undefined) return known;
    const target = alias.resolve(this.#document);
    if (target !== undefined) this.#targets.set(alias, target);
    return target;
  }

  #line(node: Node | null | undefined, near: number): number {
    const start = node?.range?.[0];
    return start === undefined ? near : this.#lines.linePos(start).line + this.#shift;
  }
}

const NULLS: ReadonlySet<string> = new Set(["", "~", "null", "Null", "NULL"]);
