import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chooseFrom } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain } from "@hookline/ground/system";
import { abouts } from "@hookline/integrations/abouts";
import type { Starter } from "@hookline/runtime/engine";
import type { Arguments } from "../start/args.ts";
import { placeOf } from "../start/place.ts";

/**
 * `hookline hooks init [DIALECT]`: writes a commented, working guard into the project, by default in hookline's own
 * format. Never overwrites anything.
 */
export async function initHook(args: Arguments, io: Io): Promise<number> {
  const [dialect = "hookline"] = args.words;
  const starter = Object.hasOwn(abouts, dialect) ? await abouts[dialect]?.starter?.() : undefined;
  if (starter === undefined) {
    const names = Object.keys(abouts).filter((id) => abouts[id]?.starter !== undefined);
    io.err(`There is no dialect "${plain(dialect)}". ${chooseFrom(dialect, names)}\n`);
    return EXIT.usage;
  }
  const { cwd } = await placeOf(args, io);
  const there = starter.files.map(({ path }) => join(cwd, path)).find((path) => existsSync(path));
  if (there !== undefined) {
    io.err(`${plain(there)} already exists, and is not overwritten. Move it away, or write the hook by hand.\n`);
    return EXIT.failed;
  }
  const files = starter.files.map((file) => write(cwd, file));
  const next = [...(dialect === "hookline" ? ["hookline hooks test"] : []), ...nextSteps(starter)];
  if (args.flags["json"] === true) io.out(jsonText({ dialect, files, next }));
  else {
    for (const file of files) io.out(`written: ${plain(file)}\n`);
    io.out(`\nNext:\n${next.map((step) => `  ${step}\n`).join("")}`);
  }
  return EXIT.fine;
}

function write(cwd: string, { path, text, executable }: Starter["files"][number]): string {
  const full = join(cwd, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text, { flag: "wx" });
  if (executable === true) chmodSync(full, 0o755);
  return full;
}

/** How a person can try the example without a model. */
function nextSteps({ event, refused }: Starter): string[] {
  return [
    "hookline trust approve",
    "hookline hooks",
    `echo '${JSON.stringify(refused)}' | hookline hooks fire ${event} --payload - --expect deny`,
  ];
}
