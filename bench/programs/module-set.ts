import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transform } from "esbuild";

/** The same hook modules as TypeScript and as plain JavaScript. */
export interface ModuleSet {
  /** Contains `ts` and `js`, each with the modules and their helpers. */
  readonly folder: string;
  remove(): void;
}

const RULES = `export interface Rule { readonly name: string; readonly pattern: RegExp; readonly severity: "low" | "high" }

export const rules: readonly Rule[] = [
  { name: "recursive removal", pattern: /\\brm\\s+-[a-z]*r/, severity: "high" },
  { name: "download and run", pattern: /curl[^|]*\\|\\s*sh/, severity: "high" },
  { name: "force push", pattern: /git\\s+push\\s+.*--force/, severity: "low" },
];

export function matching(command: string): readonly Rule[] {
  return rules.filter((rule) => rule.pattern.test(command));
}
`;

/** Most modules are one file, like most extensions; every fifth has a helper. */
const HELPER_EVERY = 5;

const moduleText = (index: number, rules: string): string =>
  `import type { ExtensionAPI, ToolCallEvent } from "@earendil-works/pi-coding-agent";
${rules}
interface Counters {
  calls: number;
  blocked: number;
  readonly byRule: Map<string, number>;
}

enum Mode {
  Watch,
  Block = ${index} + 1,
}

const counters: Counters = { calls: 0, blocked: 0, byRule: new Map<string, number>() };
const mode: Mode = Mode.Block;

function describe(found: readonly Rule[]): string {
  return found.map(({ name, severity }) => \`\${name} (\${severity})\`).join(", ");
}

function countRules(found: readonly Rule[]): void {
  for (const { name } of found) counters.byRule.set(name, (counters.byRule.get(name) ?? 0) + 1);
}

class History<T extends { readonly at: number }> {
  private readonly entries: T[] = [];
  constructor(private readonly limit: number) {}
  add(entry: T): void {
    this.entries.push(entry);
    while (this.entries.length > this.limit) this.entries.shift();
  }
  get latest(): T | undefined {
    return this.entries.at(-1);
  }
}

const history = new History<{ readonly at: number; readonly tool: string }>(${index % 7} + 10);

export default function guard${index}(pi: ExtensionAPI): void {
  pi.on("tool_call", async (event: ToolCallEvent) => {
    counters.calls += 1;
    history.add({ at: Date.now(), tool: event.toolName });
    const command = (event.input as { command?: string }).command ?? "";
    const found = matching(command);
    countRules(found);
    if (found.length === 0 || mode === Mode.Watch) return undefined;
    counters.blocked += 1;
    return { block: true, reason: \`module ${index}: \${describe(found)}\` };
  });
  pi.on("session_shutdown", async () => {
    counters.byRule.clear();
  });
}
`;

/** Writes the modules into a new folder. */
export async function writeModules(count: number): Promise<ModuleSet> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const texts: Record<string, string> = {};
  for (let i = 0; i < count; i++) {
    const name = `guard-${String(i).padStart(3, "0")}`;
    const helped = i % HELPER_EVERY === 0;
    // The helper is in a separate folder, where no host looks for extensions.
    if (helped) texts[`helpers/${name}`] = `// Of ${name}.\n${RULES}`;
    texts[name] = moduleText(i, helped ? `import { matching, type Rule } from "./helpers/${name}.ts";` : RULES);
  }
  for (const kind of ["ts", "js"]) mkdirSync(join(folder, kind, "helpers"), { recursive: true });
  writeFileSync(join(folder, "js/package.json"), '{ "type": "module" }\n');
  for (const [name, text] of Object.entries(texts)) {
    writeFileSync(join(folder, "ts", `${name}.ts`), text);
    const { code } = await transform(text, { loader: "ts", format: "esm", target: "node22" });
    writeFileSync(join(folder, "js", `${name}.js`), code.replace(/(guard-\d+)\.ts"/, '$1.js"'));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
