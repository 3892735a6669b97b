import { exec } from "node:child_process";

/** Environment variables, which are always passed in and never read from the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Part = { readonly literal: string } | { readonly variable: string };

/**
 * Returns the unset variables that a configured value needs; a command needs none.
 *
 * A value is `!command` (its output), a text with `$NAME` or `${NAME}` (`$$` and `$!` stand for `$` and `!`), the bare
 * name of a variable, or a literal. A bare name in capitals with an underscore is never a literal.
 */
export function missingVariables(value: string, env: Environment): readonly string[] {
  if (value.startsWith("!")) return [];
  return partsOf(value, env).flatMap((part) => ("variable" in part && !env[part.variable] ? [part.variable] : []));
}

/** Resolves a configured text to its value; throws the reason if it has none. Commands run each time. */
export async function resolveValue(value: string, env: Environment): Promise<string> {
  if (value.startsWith("!")) return run(value.slice(1), env);
  const [missing] = missingVariables(value, env);
  if (missing !== undefined) throw new Error(`${missing} is not set`);
  return partsOf(value, env)
    .map((part) => ("literal" in part ? part.literal : (env[part.variable] ?? "")))
    .join("");
}

function partsOf(value: string, env: Environment): readonly Part[] {
  if (/^[A-Za-z_]\w*$/.test(value) && (env[value] || /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value))) {
    return [{ variable: value }];
  }
  const parts: Part[] = [];
  let rest = 0;
  for (const match of value.matchAll(/\$(?:([$!])|\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g)) {
    parts.push({ literal: value.slice(rest, match.index) });
    const [whole, escaped, braced, bare] = match;
    parts.push(escaped === undefined ? { variable: braced ?? bare ?? "" } : { literal: escaped });
    rest = match.index + whole.length;
  }
  return [...parts, { literal: value.slice(rest) }];
}

function run(command: string, env: Environment): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = exec(command, { timeout: 10_000, windowsHide: true, env: { ...env } }, (error, stdout) => {
      const output = stdout.trim();
      // The rest of a command may contain secrets, so only its first word is named.
      const name = `the command "${/^\s*\S*/.exec(command)?.[0].trim() ?? ""}"`;
      if (error !== null)
        reject(new Error(`${name} ${typeof error.code === "number" ? `ended with ${error.code}` : "failed"}`));
      else if (output === "") reject(new Error(`${name} printed nothing`));
      else resolve(output);
    });
    child.stdin?.end();
  });
}
