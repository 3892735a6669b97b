import { messageOf } from "@hookline/ground";
import type { Files } from "@hookline/runtime/dialect";
import type { Owner } from "../../in-process/owner.ts";
import type { Exports } from "../../in-process/provide.ts";
import { importTypebox } from "../../in-process/pure.ts";
import { createLogger, type Logger } from "./logger.ts";

/** The parts of omp's API objects besides functions: the log, schema builders, and the package's own exports. */
export interface Builders {
  readonly logger: Logger;
  readonly typebox: object;
  readonly arktype: object;
  readonly zod: object;
  readonly pi: object;
}

/**
 * Fetches the builders that a module's text mentions; the others are stand-ins that say what to do when they are used.
 * `root` returns the exports of omp's package.
 */
export async function createBuilders(
  owner: Owner,
  files: readonly string[],
  root: () => Promise<Exports>,
): Promise<Builders> {
  const text = textOf(owner.around.scan.files, files);
  const lent = async (name: "arktype" | "zod"): Promise<object> => {
    const remedy = `is not provided here; import "${name}" in the module and run \`npm install ${name}\` beside it, or use pi.typebox`;
    if (!text.includes(name)) return standIn(`pi.${name}`, remedy);
    const module = await owner.around.services.modules?.(PACKAGES[name]);
    return module === undefined ? standIn(`pi.${name}`, remedy) : builderOf(module);
  };
  const [arktype, zod] = await Promise.all([lent("arktype"), lent("zod")]);
  return {
    logger: createLogger(owner),
    typebox: text.includes("typebox") ? await typebox(owner) : standIn("pi.typebox", UNREAD),
    arktype,
    zod,
    pi: NAMES_ROOT.test(text) ? await root() : standIn("pi.pi", UNREAD),
  };
}

/** Packages from which omp makes its builders; a module's own `zod` is unaffected. */
const PACKAGES = { arktype: "@oh-my-pi/omptype", zod: "@oh-my-pi/omptype/zod" } as const;

/** omp's `pi.arktype` is the builder itself, its `pi.zod` the whole module. */
function builderOf(module: Exports): object {
  return typeof module["type"] === "function" ? module["type"] : module;
}

/** A member called `pi`, or a variable taken out of an object; the parameter that most hooks call so is neither. */
const NAMES_ROOT = /\.\s*pi\b|\bpi\s*[,}]/;

const UNREAD = "is fetched only for modules that name it in their text; write its name out";

async function typebox({ around }: Owner): Promise<object> {
  try {
    return (await around.services.modules?.("typebox")) ?? (await importTypebox());
  } catch (thrown) {
    return standIn("pi.typebox", `cannot be used: ${messageOf(thrown)}`);
  }
}

/**
 * A placeholder for something missing: it can be stored and passed on, and reports the problem when a member is used.
 */
function standIn(name: string, problem: string): object {
  return new Proxy(
    {},
    {
      get(_, key) {
        if (typeof key === "symbol" || key === "then" || key === "toJSON") return undefined;
        throw new Error(`${name} ${problem}`);
      },
    },
  );
}

function textOf(files: Files, paths: readonly string[]): string {
  return paths.map((path) => new TextDecoder().decode(files.read(path) ?? new Uint8Array())).join("\n");
}
