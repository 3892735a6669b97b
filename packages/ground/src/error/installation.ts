import { type Diagnostic, diagnose, place, type Source } from "./diagnostic.ts";
import { HooklineError, messageOf } from "./error.ts";

/** Imports a package that hookline depends on. If that fails, the error blames the installation, not a hook. */
export async function fromInstallation<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new HooklineError("INSTALLATION_INCOMPLETE", { package: name, problem: messageOf(cause) }, { cause });
  }
}

/** Reports why a definition or a dialect did not load: its own fault, or an incomplete installation. */
export function loadFailure(of: Source | string, thrown: unknown): Diagnostic {
  const about = typeof of === "string" ? {} : { source: of };
  const path = typeof of === "string" ? of : place(of);
  const incomplete = installationErrorIn(thrown);
  if (incomplete === undefined) return diagnose("LOAD_FAILED", { path, problem: messageOf(thrown) }, about);
  const { code, message, hint } = incomplete;
  return { ...diagnose(code, {}, about), message: `${path} could not be loaded: ${message}`, hint };
}

/** The limit on the length of a chain of causes. Only a hostile module has longer ones. */
const MOST_CAUSES = 16;

function installationErrorIn(thrown: unknown): HooklineError | undefined {
  let at = thrown;
  for (let depth = 0; depth < MOST_CAUSES && typeof at === "object" && at !== null; depth += 1) {
    if (HooklineError.isInstance(at) && at.code === "INSTALLATION_INCOMPLETE") return at;
    at = at instanceof Error ? at.cause : undefined;
  }
  return undefined;
}
