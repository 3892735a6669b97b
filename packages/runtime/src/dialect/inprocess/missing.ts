import { diagnose } from "../../error/diagnostic.ts";
import type { ModuleCall } from "../../port/module.ts";
import type { Owner } from "./owner.ts";

type Missing = Parameters<ModuleCall["onMissing"]>[0];

/** Tells of names that a module imports and nobody has: those of its load at once, a package in one message. */
export interface MissingNames {
  note(missing: Missing): void;
  /** Tells what has been noted; from then on each is told when it is noted. */
  tell(): void;
}

/** Collects the missing names of one module. */
export function missingNames({ instance }: Owner): MissingNames {
  const { source } = instance;
  const noted = new Map<string, { files: Set<string>; names: Set<string> }>();
  let isTold = false;
  const tellAll = (): void => {
    for (const [specifier, { files, names }] of noted) {
      const [file = source.path] = files;
      const details = { path: files.size > 1 ? source.path : file, specifier, names: listOf([...names]) };
      instance.report(diagnose("MISSING_EXPORT", details, { source }));
    }
    noted.clear();
  };
  return {
    note({ file, specifier, name }) {
      const found = noted.get(specifier) ?? { files: new Set(), names: new Set() };
      noted.set(specifier, found);
      found.files.add(file);
      found.names.add(name);
      if (isTold) tellAll();
    },
    tell() {
      isTold = true;
      tellAll();
    },
  };
}

function listOf(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}
