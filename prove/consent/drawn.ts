import { join } from "node:path";
import type { Chance } from "../stage/chance.ts";
import { LANGUAGES, type LanguageName } from "./languages.ts";
import { LOADS } from "./loads.ts";
import { STARTS, WRAPPERS } from "./starts.ts";

/** A file of a generated project: its text, the text of an executable, or the target of a link. */
export type Content = string | { readonly program: string } | { readonly link: string };

/** A piece of text that leads to a file: it starts, loads or reads the file. */
export interface Edge {
  /** The file that contains the piece; absent for the definition. */
  readonly from?: string;
  readonly piece: string;
  readonly to: string;
  /** The name of the way in which it leads there. */
  readonly way: string;
  /** Set if the piece computes the file's name, so a line may call it open whatever file that is. */
  readonly isComputed?: true;
}

/** A generated hook: a command of Claude Code's project settings, and the files that it leads to. */
export interface Drawn {
  /** The names of the drawn ways, for a report. */
  readonly says: string;
  readonly files: Readonly<Record<string, Content>>;
  readonly command: string;
  /** The variable settings in `env`. */
  readonly env: Readonly<Record<string, string>>;
  readonly edges: readonly Edge[];
  /** The session's folder, if it is not the project's top folder; paths are relative to it. */
  readonly below?: string;
}

/** A way in which a text can lead to a file: makes the file, and the piece of text for it. */
export interface Way {
  readonly name: string;
  readonly isComputed?: true;
  lead(sketch: Sketch, from: From): Lead | undefined;
}

/** A piece of text, and the file that it leads to. */
export interface Lead {
  readonly piece: string;
  readonly to: string;
}

/** The text that leads to a file: another file, or the definition's command. */
export interface From {
  readonly path?: string;
  /** The text's folder, relative to the project; for the definition, the project's folder. */
  readonly folder: string;
}

/** Required properties of a file to be drawn. */
export interface Wanted {
  readonly language?: LanguageName;
  readonly folder?: string;
  readonly base?: string;
  readonly isProgram?: boolean;
}

/** A drawn file. */
export interface Script {
  readonly path: string;
  readonly language: LanguageName;
  /** The usual program that runs it. */
  readonly program: string;
}

const SCRIPTS: readonly LanguageName[] = ["sh", "sh", "bash", "cjs", "mjs", "ts", "python", "python", "perl", "ruby"];
const NAMES = ["guard", "check", "rules", "audit", "lint", "policy", "scan", "report"];
const FOLDERS = ["", "tools", "tools", "scripts/ci", ".claude/hooks", ".claude/hooks/lib", "packages/one"];
const DATA = ["config/deny.txt", "rules.json", ".claude/hooks/words.txt", "tools/list.csv"];
/** A folder of the project next to the session's folder. */
const BESIDE = "../shared";
const DEEPEST = 3;

/** Collects the parts of a drawn hook. */
export class Sketch {
  readonly files: Record<string, Content> = {};
  readonly env: Record<string, string> = {};
  readonly edges: Edge[] = [];
  readonly ways: string[] = [];
  readonly chance: Chance;
  readonly installed: ReadonlySet<LanguageName>;
  readonly isBelow: boolean;
  readonly #links = new Map<string, string>();
  #depth = 0;
  #count = 0;

  constructor(chance: Chance, installed: ReadonlySet<LanguageName>) {
    this.chance = chance;
    this.installed = installed;
    this.isBelow = chance.below(8) === 0;
  }

  /** Adds a script, with files that it loads in turn. */
  script(wanted: Wanted = {}): Script {
    const { chance } = this;
    const language = wanted.language ?? chance.of(SCRIPTS.filter((one) => this.installed.has(one)));
    const { endings, programs, body } = LANGUAGES[language];
    const folder = wanted.folder ?? chance.of(this.isBelow ? [...FOLDERS, BESIDE, BESIDE] : FOLDERS);
    const base = wanted.base ?? `${chance.of(NAMES)}${++this.#count}${chance.of(endings)}`;
    const path = join(folder, base);
    // The same name was already drawn, and means the same file.
    if (this.files[path] !== undefined) return { path, language, program: programs[0] };
    this.files[path] = "";
    const link = chance.below(20) === 0 ? join("lib/real", base) : undefined;
    if (link !== undefined) this.#links.set(path, link);
    const lines = wanted.isProgram === true ? [`#!${chance.of(firstLines(language))}`] : [];
    this.#depth += 1;
    for (let left = this.#loads(); left > 0; left--) lines.push(...this.#lead(LOADS[language] ?? [], { path, folder }));
    this.#depth -= 1;
    const text = [...lines, body, ""].join("\n");
    this.files[link ?? path] = wanted.isProgram === true ? { program: text } : text;
    if (link !== undefined) this.files[path] = { link: join(folder.replaceAll(/[^/]+/g, ".."), link) };
    return { path, language, program: chance.of(programs) };
  }

  /** Adds a file that is only read. */
  data(): string {
    const path = this.chance.of(DATA);
    this.files[path] = path.endsWith(".json") ? '{"a": 1}\n' : "one\ntwo\n";
    return path;
  }

  file(path: string, content: Content): void {
    this.files[path] = content;
  }

  /** Records which piece leads to a file. */
  edge(from: string | undefined, piece: string, to: string, way: Omit<Way, "lead"> = { name: "" }): void {
    const { name, isComputed } = way;
    const real = (path: string): string => this.#links.get(path) ?? path;
    const by = from === undefined ? {} : { from: real(from) };
    this.edges.push({ ...by, piece, to: real(to), way: name, ...(isComputed && { isComputed }) });
  }

  /** Draws the command of the definition. */
  command(): string {
    let text: string | undefined;
    while (text === undefined) [text] = this.#lead(STARTS, { folder: "" });
    return text;
  }

  #loads(): number {
    return this.#depth > DEEPEST ? 0 : this.chance.of([0, 1, 1, 2].slice(0, this.#depth === DEEPEST ? 2 : 4));
  }

  #lead(ways: readonly Way[], from: From): string[] {
    if (ways.length === 0) return [];
    const way = this.chance.of(ways);
    const lead = way.lead(this, from);
    if (lead === undefined) return [];
    this.ways.push(way.name);
    this.edge(from.path, lead.piece, lead.to, way);
    return [lead.piece];
  }
}

function firstLines(language: LanguageName): readonly string[] {
  const [program] = LANGUAGES[language].programs;
  return [`/usr/bin/env ${program}`, `/usr/bin/env -S ${program}`, ...(language === "sh" ? ["/bin/sh"] : [])];
}

/** Draws a hook. */
export function drawn(chance: Chance, installed: ReadonlySet<LanguageName>): Drawn {
  const sketch = new Sketch(chance, installed);
  const command = sketch.command();
  const { files, env, edges, ways, isBelow } = sketch;
  if (isBelow) sketch.file("../.git/HEAD", "ref: refs/heads/main\n");
  if (chance.below(4) === 0) env["MODE"] = "strict";
  const wrapped = chance.below(3) === 0 ? chance.of(WRAPPERS)(command) : command;
  return {
    says: ways.join(" > "),
    files,
    command: wrapped,
    env,
    edges,
    ...(isBelow && { below: "app" }),
  };
}
