import { globMatcher } from "../tool/glob.ts";
import type { Scope } from "./rule.ts";

const TOOL = /^tool(?:call)?(?::([^()]*))?(?:\((.*)\))?$/;
const ANYWHERE: readonly Scope[] = [{ part: "text" }, { part: "tool" }];

/**
 * Parses scope tokens such as `text` or `tool:edit(*.ts)`; without any, the scopes are text and every tool. `unknown`
 * are invalid tokens.
 */
export function readScopes(
  tokens: readonly string[],
  globs: readonly string[] = [],
): { readonly scopes: readonly Scope[]; readonly unknown: readonly string[] } {
  const scopes: Scope[] = [];
  const unknown: string[] = [];
  for (const token of tokens) {
    const [, tool, glob] = TOOL.exec(token) ?? [];
    if (token === "text" || token === "thinking") scopes.push({ part: token });
    else if (TOOL.test(token)) scopes.push({ part: "tool", ...named(tool), ...inFiles(glob) });
    else unknown.push(token);
  }
  const chosen = scopes.length > 0 || unknown.length > 0 ? scopes : ANYWHERE;
  if (globs.length === 0) return { scopes: chosen, unknown };
  const limited = chosen.flatMap((scope): Scope[] =>
    scope.part === "tool" && scope.fits === undefined ? globs.map((glob) => ({ ...scope, ...inFiles(glob) })) : [scope],
  );
  return { scopes: limited, unknown };
}

function named(tool: string | undefined): { readonly tool?: string } {
  return tool === undefined || tool === "" || tool === "*" ? {} : { tool };
}

function inFiles(glob: string | undefined): Pick<Scope, "fits"> {
  return glob === undefined || glob === "" ? {} : { fits: globMatcher(glob, { anywhere: true }) };
}
