import { fromInstallation } from "../../../error/installation.ts";

interface Parsed {
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** `parseFrontmatter` and `stripFrontmatter` over a YAML parser. */
export interface Frontmatter {
  parseFrontmatter(content: string): Parsed;
  stripFrontmatter(content: string): string;
}

/** Makes the two functions; the YAML parser is loaded for it. A faulty header throws the parser's error. */
export async function createFrontmatter(): Promise<Frontmatter> {
  const { parse } = await fromInstallation("yaml", () => import("yaml"));
  const parseFrontmatter = (content: string): Parsed => {
    const text = content.replace(/\r\n?/g, "\n");
    const end = text.startsWith("---") ? text.indexOf("\n---", 3) : -1;
    if (end < 0) return { frontmatter: {}, body: text };
    const header: unknown = parse(text.slice(4, end));
    const frontmatter = typeof header === "object" && header !== null ? (header as Parsed["frontmatter"]) : {};
    return { frontmatter, body: text.slice(end + 4).trim() };
  };
  return { parseFrontmatter, stripFrontmatter: (content) => parseFrontmatter(content).body };
}
