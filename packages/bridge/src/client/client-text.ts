import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

/** The builds of the client for Node: agents load a `module` into their own process, or start a `script`. */
export type ClientKind = "module" | "script";

/** The sources of the client, from which `npm run build` makes the files in `BUILT_CLIENTS`. */
const PARTS = ["place.ts", "client.ts", "client-program.ts"];
/** The files of the client in a built package. */
export const BUILT_CLIENTS: Readonly<Record<ClientKind, string>> = {
  module: "bridge-client.js",
  script: "bridge-client.cjs",
};

const FROM_NODE = /^import \{([^}]*)\} from "(node:\w+)";\n/gm;
const FROM_PARTS = /^import \{[^}]*\} from "\.\/[\w.-]+";\n/gm;

/** Returns the client for Node as one text of JavaScript that imports only `node:fs` and `node:net`. */
export function clientText(kind: ClientKind): string {
  if (import.meta.url.endsWith(".ts")) return joinedClient(kind);
  return readFileSync(new URL(`./${BUILT_CLIENTS[kind]}`, import.meta.url), "utf8");
}

/** Joins the sources of the client to one text. */
export function joinedClient(kind: ClientKind): string {
  const names = new Map<string, Set<string>>();
  const bodies = PARTS.slice(0, kind === "module" ? 2 : 3).map((part) =>
    stripTypeScriptTypes(readFileSync(new URL(`./${part}`, import.meta.url), "utf8"))
      .replace(FROM_NODE, (_, list: string, from: string) => {
        const known = names.get(from) ?? new Set();
        names.set(from, known);
        for (const name of list.split(",")) if (name.trim() !== "") known.add(name.trim());
        return "";
      })
      .replace(FROM_PARTS, "")
      .replace(/^export (?=\S)/gm, "")
      // Cleans up after the types were removed: repeated blanks, and docstrings of interfaces that are gone.
      .replace(/(?<=\S) {2,}([,);]?)/g, (_, next: string) => next || " ")
      .replace(/[ \t]+$/gm, "")
      .replace(/^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(?=\n)/gm, "")
      .replace(/\n{3,}/g, "\n\n"),
  );
  const imports = [...names].map(([from, list]) => {
    const sorted = `{ ${[...list].sort().join(", ")} }`;
    return kind === "module" ? `import ${sorted} from "${from}";\n` : `const ${sorted} = require("${from}");\n`;
  });
  const run = "\nanswerProgram(process.argv.slice(2)).then((code) => process.exit(code));\n";
  return [...imports, ...bodies, kind === "script" ? run : ""].join("");
}
