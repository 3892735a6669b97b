import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type HostNames, namesIn } from "../../packages/bridge/src/host/names.ts";
import { root } from "../step.ts";

/** Names seen in a host: models by version, fields by event, arguments by tool. */
export type SeenNames = Readonly<Record<keyof HostNames, Readonly<Record<string, readonly string[]>>>>;

const HEAD = `import type { HostNames } from "@hookline/bridge/kit";

/** Models, payload fields and tool arguments seen in this agent. Written by \`npm run hosts -- --write\`. */
export const names: HostNames = `;

/** Adds new names to the known names of a host, in the host's folder. */
export async function writeNames(host: string, seen: SeenNames): Promise<void> {
  const path = join(root, `packages/integrations/src/${host}/host/names.ts`);
  const { names } = existsSync(path)
    ? ((await import(pathToFileURL(path).href)) as { readonly names: HostNames })
    : { names: { held: {}, fields: {}, args: {} } };
  const part = (name: keyof HostNames): string => {
    const keys = [...new Set([...Object.keys(names[name]), ...Object.keys(seen[name])])].sort(byNumber);
    const rows = keys.map((key) => {
      const all = [...new Set([...namesIn(names[name][key] ?? ""), ...(seen[name][key] ?? [])])];
      const sorted = name === "held" ? all : all.sort();
      return `    ${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(sorted.join(" "))},\n`;
    });
    return rows.length === 0 ? `  ${name}: {},\n` : `  ${name}: {\n${rows.join("")}  },\n`;
  };
  writeFileSync(path, `${HEAD}{\n${part("held")}${part("fields")}${part("args")}};\n`);
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
