import { fromInstallation, lenientText } from "@hookline/ground";
import { readGroups, type SettingsFile } from "./settings-file.ts";

/** The hooks and the name in the front matter of a Markdown file. */
export interface FrontmatterHooks {
  readonly name?: string;
  readonly file: SettingsFile;
}

/** Matches the front matter. It ends at a line that is `---`, not at a line that ends with `---`. */
const BLOCK = /^---[ \t]*\r?\n((?:[\s\S]*?\n)??)---[ \t]*(?:\r?\n|$)/;
const MOST_ALIASES = 100;

/**
 * Reads `hooks` from the front matter of a skill, command or agent; `undefined` if it has none. Loads the YAML parser
 * only for files with hooks. Source: code.claude.com/docs/en/hooks, "Hooks in skills and agents".
 */
export async function readFrontmatter(
  bytes: Uint8Array,
): Promise<FrontmatterHooks | { readonly problem: string; readonly line: number } | undefined> {
  const fields = BLOCK.exec(lenientText(bytes))?.[1] ?? "";
  if (!/^["']?hooks["']?\s*:/m.test(fields)) return undefined;
  const yaml = await fromInstallation("yaml", () => import("yaml"));
  const counter = new yaml.LineCounter();
  // The front matter's text begins on the second line of the file.
  const lineAt = (offset: number): number => counter.linePos(offset).line + 1;
  try {
    const document = yaml.parseDocument(fields, { lineCounter: counter, prettyErrors: false, logLevel: "error" });
    const [error] = document.errors;
    if (error !== undefined) return { problem: error.message, line: lineAt(error.pos[0]) };
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    const { hooks, name } = (value ?? {}) as Readonly<Record<string, unknown>>;
    const lines = (pointer: string): number => {
      const node: unknown = document.getIn(pointer.split("/").slice(1).map(unescaped), true);
      return yaml.isNode(node) && node.range != null ? lineAt(node.range[0]) : 2;
    };
    const groups = readGroups(hooks, lines, "/hooks");
    const file: SettingsFile = { ...groups, hasHooks: true, settings: {} };
    return { file, ...(typeof name === "string" && { name }) };
  } catch {
    return { problem: "its fields cannot be read as YAML", line: 1 };
  }
}

function unescaped(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part.replaceAll("~1", "/").replaceAll("~0", "~");
}
