import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./step.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
  readonly repository?: string | { readonly url?: string };
}

/**
 * Returns the licence notices of all third-party code in the bundles, ordered by name. `inputs` are the bundled files,
 * relative to the root.
 */
export function noticesOf(inputs: readonly string[]): string {
  const folders = new Set<string>();
  for (const input of inputs) {
    const path = join(root, input);
    const at = path.lastIndexOf("/node_modules/");
    if (at < 0) continue;
    const [scope = "", name = ""] = path.slice(at + "/node_modules/".length).split("/");
    folders.add(join(path.slice(0, at), "node_modules", scope.startsWith("@") ? `${scope}/${name}` : scope));
  }
  const notices = [...folders].map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
    const { name, version, license = "unknown" } = manifest;
    return { key: `${name}@${version}`, text: `${name} ${version} (${license})\n\n${licenceText(folder, manifest)}` };
  });
  const sorted = notices.sort((a, b) => (a.key < b.key ? -1 : 1));
  return `This program holds parts of the following packages.\n\n${sorted.map(({ text }) => text).join(`\n${"-".repeat(78)}\n\n`)}`;
}

/**
 * Returns the package's own licence file or, without one, that of another package of its monorepo, or the licence's
 * name.
 */
function licenceText(folder: string, { license, author, repository }: Manifest): string {
  for (const place of [folder, dirname(folder)]) {
    if (!existsSync(place)) continue;
    const file = readdirSync(place).find((name) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(name));
    if (file !== undefined) return `${readFileSync(join(place, file), "utf8").trim()}\n`;
  }
  const who = typeof author === "string" ? author : author?.name;
  const where = typeof repository === "string" ? repository : repository?.url;
  return `${[`Licence: ${license}.`, who && `By ${who}.`, where && `From ${where}.`].filter(Boolean).join(" ")}\n`;
}
