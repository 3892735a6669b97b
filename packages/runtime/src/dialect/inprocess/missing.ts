import { diagnose } from "../../error/diagnostic.ts";
import type { MissingName } from "../../port/module.ts";
import type { Owner } from "./owner.ts";

/** Tells of names that a module imports and nobody has: those of its load at once, a package in one message. */
export interface MissingNames {
  note(missing: MissingName): void;
  /** Tells what has been noted; from then on each is told when it is noted. */
  tell(): void;
}

interface Noted {
  readonly specifier: string;
  readonly files: Set<string>;
  readonly names: Set<string>;
  readonly instead: string | undefined;
}

/** Collects the missing names of one module. */
export function missingNames({ instance }: Owner): MissingNames {
  const { source } = instance;
  const noted = new Map<string, Noted>();
  let isTold = false;
  const tellAll = (): void => {
    for (const { specifier, files, names, instead } of noted.values()) {
      const [file = source.path] = files;
      const path = files.size > 1 ? source.path : file;
      const details = { path, specifier, names: listOf([...names]), instead: instead ?? "" };
      const code = instead === undefined ? "MISSING_EXPORT" : "LACKING_EXPORT";
      instance.report({ ...diagnose(code, details, { source }), names: [...names] });
    }
    noted.clear();
  };
  return {
    note({ file, specifier, name, instead }) {
      const key = JSON.stringify([specifier, instead]);
      const found = noted.get(key) ?? { specifier, files: new Set(), names: new Set(), instead };
      noted.set(key, found);
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
