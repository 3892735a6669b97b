import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { MECHANISMS } from "../../../../scripts/layers.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("each integration has a row with its keeper, and what it is", () => {
  const folder = join(root, "packages/integrations/src");
  const agents = readdirSync(folder, { withFileTypes: true })
    .filter((one) => one.isDirectory() && !MECHANISMS.includes(one.name))
    .map(({ name }) => name);
  const [, table = ""] = read("CONTRIBUTING.md").split("## Integrations and their keepers");
  const rows = [...table.matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, name, as, keeper]) => ({
    name,
    as,
    keeper,
  }));
  expect(rows.map(({ name }) => name)).toEqual(agents.sort());
  for (const { name = "", as = "", keeper } of rows) {
    expect(keeper, name).not.toBe("");
    const has = (file: string): boolean => existsSync(join(folder, name, file));
    const kinds = { dialect: has("hooks") && name !== "hookline", host: has("host"), sessions: has("transcript.ts") };
    for (const [kind, is] of Object.entries(kinds)) expect(as.includes(kind), `${name}: ${kind}`).toBe(is);
  }
});

test("each issue form has the fields that GitHub asks for", () => {
  const folder = ".github/ISSUE_TEMPLATE";
  for (const name of readdirSync(join(root, folder)).filter((one) => one !== "config.yml")) {
    const { name: title, description, body } = parse(read(`${folder}/${name}`));
    expect([typeof title, typeof description], name).toEqual(["string", "string"]);
    const ids = body.flatMap(({ id }: { id?: string }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, id, attributes } of body) {
      expect(["markdown", "textarea", "input", "dropdown", "checkboxes"]).toContain(type);
      if (type === "markdown") expect(typeof attributes.value).toBe("string");
      else expect([typeof id, typeof attributes.label]).toEqual(["string", "string"]);
      if (type === "dropdown") expect(attributes.options.every((one: unknown) => typeof one === "string")).toBe(true);
    }
  }
});
