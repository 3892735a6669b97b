import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dialects } from "@hookline/runtime/dialects";
import { catalog, type Dialect } from "@hookline/runtime/engine";
import { build } from "esbuild";
import { dialectIds, readRequirements } from "../conformance/requirement.ts";
import { root } from "./step.ts";

const dist = join(root, "packages/conformance/dist");
const source = join(root, "conformance");

/** Assembles what `@hookline/conformance` packs: data from the repository, and the runner. */
export async function buildConformance(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  for (const folder of ["requirements", "schemas"]) mkdirSync(join(dist, folder), { recursive: true });
  cpSync(join(source, "cases"), join(dist, "cases"), { recursive: true });
  cpSync(join(source, "schema.json"), join(dist, "schema.json"));
  for (const name of ["vectors", "golden.json", "LICENSE"])
    cpSync(join(source, "agent-hooks", name), join(dist, "agent-hooks", name), { recursive: true });
  const schemas = join(root, "docs/reference/schemas");
  for (const name of readdirSync(schemas))
    if (catalog.has(name.replace(/\.json$/, ""))) cpSync(join(schemas, name), join(dist, "schemas", name));
  for (const id of dialectIds()) {
    const { requirements, deviations = [] } = readRequirements(id);
    write(`requirements/${id}.json`, { dialect: id, requirements, deviations });
  }
  write("catalog.json", catalogOf(dialects));
  await build({
    entryPoints: { cli: join(source, "cli.ts"), hookline: join(source, "self.ts") },
    outdir: dist,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22.19",
    external: ["@hookline/runtime"],
    banner: { js: "#!/usr/bin/env node" },
    logLevel: "warning",
    legalComments: "none",
  });
}

/** Returns the events as data: the purpose of each, how its answers are combined, and each lane's name for it. */
function catalogOf(tables: readonly Dialect[]): object {
  const lanes = tables.flatMap((dialect) => dialect.lanes.map((lane) => ({ dialect: dialect.id, ...lane })));
  const events = [...catalog.values()].map(
    ({ name, fires, kind, schedule, fold, feeds, subject, timeoutMs, guard }) => ({
      name,
      fires,
      kind,
      schedule,
      fold: fold.name,
      feeds,
      ...(subject !== undefined && { subject }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(guard !== undefined && { judges: guard.judges }),
      schema: `schemas/${name}.json`,
      lanes: Object.fromEntries(
        lanes
          .map(({ id, rows }) => [id, rows.filter(({ of }) => of === name).map((row) => row.name)] as const)
          .filter(([, names]) => names.length > 0),
      ),
    }),
  );
  return { lanes: lanes.map(({ id, dialect }) => ({ id, dialect })), events };
}

function write(path: string, data: object): void {
  writeFileSync(join(dist, path), `${JSON.stringify(data, null, 2)}\n`);
}
