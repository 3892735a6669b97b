import { messageOf } from "@hookline/ground";
import type { Files } from "@hookline/runtime/dialect";
import type { Owner } from "../../in-process/owner.ts";
import type { Exports } from "../../in-process/provide.ts";
import { importTypebox } from "../../in-process/pure.ts";
import { createLogger, type Logger } from "./logger.ts";

/** The members of omp's API objects that are not functions: the logger, schema builders and the package's exports. */
export interface Builders {
  readonly logger: Logger;
  readonly typebox: object;
  readonly arktype: object;
  readonly zod: object;
  readonly pi: object;
}

/**
 * Loads the builders that a module's text mentions. The others are placeholders: using one throws an error that says
 * what to do. `root` returns the exports of omp's package.
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

/** The packages from which omp takes its builders. A `zod` that the module itself installed is unaffected. */
const PACKAGES = { arktype: "@oh-my-pi/omptype", zod: "@oh-my-pi/omptype/zod" } as const;

/** Returns the builder in a package: for `pi.arktype` its function `type`, for `pi.zod` the whole module. */
function builderOf(module: Exports): object {
  return typeof module["type"] === "function" ? module["type"] : module;
}

/**
 * Matches a use of `pi.pi`: a member named `pi`, or `pi` taken out of an object. Most hooks call their parameter `pi`,
 * which does not match.
 */
const NAMES_ROOT = /\.\s*pi\b|\bpi\s*[,}]/;

const UNREAD = "is fetched only for modules that name it in their text; write its name out";

async function typebox({ around }: Owner): Promise<object> {
  try {
    return (await around.services.modules?.("typebox")) ?? (await importTypebox());
  } catch (thrown) {
    return standIn("pi.typebox", `cannot be used: ${messageOf(thrown)}`);
  }
}

/** Makes a placeholder for something missing. It can be stored and passed on, but throws when a member is used. */
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
