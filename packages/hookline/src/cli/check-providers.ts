import { join } from "node:path";
import type { Io } from "@hookline/ground/system";
import { KNOWN } from "../provider/known.ts";
import { readModelsFile } from "../provider/models-file.ts";
import { ModelRegistry } from "../provider/registry.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { broken, type Check, fine, listed } from "./check.ts";

const PATIENCE_MS = 3000;

/** Checks which providers have a key, which of them answer, and what is wrong with `models.json`. Never shows a key. */
export async function providerChecks(args: Arguments, io: Io, home: string): Promise<Check[]> {
  const file = await readModelsFile(join(home, "models.json"));
  const registry = new ModelRegistry({ env: io.env, file });
  const own = [...file.providers.keys()];
  const keyed = registry.names.filter((name) => registry.isKeyed(name));
  const baseUrl = textFlag(args, "base-url");
  const addresses = new Map<string, string>();
  for (const name of keyed) {
    const address = file.providers.get(name)?.baseUrl ?? KNOWN[name]?.baseUrl;
    if (address !== undefined) addresses.set(name, address);
  }
  if (baseUrl !== undefined) addresses.set("--base-url", baseUrl);
  const reached = await Promise.all([...addresses].map(([name, address]) => reach(name, address)));
  const problems = file.diagnostics.map(({ message }) => message);
  return [
    problems.length > 0
      ? broken("models.json", listed(problems), `Correct ${file.path}.`)
      : fine("models.json", own.length === 0 ? "none, or no provider in it" : `providers: ${listed(own)}`),
    keyed.length > 0
      ? fine("keys", `have a key, or need none: ${listed(keyed)}`)
      : fine(
          "keys",
          "no provider has a key",
          "Set a provider's variable such as ANTHROPIC_API_KEY, write models.json, or pass --base-url or --script.",
        ),
    ...reached,
  ];
}

/** Checks that an address can be reached; any answer will do. */
async function reach(name: string, address: string): Promise<Check> {
  const what = `provider ${name}`;
  let host = address;
  try {
    host = new URL(address).host;
    const response = await fetch(address, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.body?.cancel();
    return fine(what, `${host} answers`);
  } catch (thrown) {
    const { cause, message } = thrown as Error & { cause?: { code?: string } };
    return broken(
      what,
      `${host} cannot be reached: ${cause?.code ?? message}`,
      "Check the address, the network and the proxy.",
    );
  }
}
