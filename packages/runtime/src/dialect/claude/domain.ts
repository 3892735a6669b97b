import { Wildcard } from "./wildcard.ts";

/**
 * Whether a host name matches a `domain:` pattern. `*.` at the start is any number of names, `*` alone everything, and
 * any other `*` lies within one name. Source: code.claude.com/docs/en/permissions, "WebFetch".
 */
export function isInDomain(pattern: string, host: string): boolean {
  const [rule, name] = [plain(pattern), plain(host)];
  if (rule === "*") return true;
  if (rule.startsWith("*.")) return tailsOf(name).some((tail) => fits(rule.slice(2), tail));
  return fits(rule, name);
}

function fits(rule: string, name: string): boolean {
  const labels = name.split(".");
  const parts = rule.split(".");
  return parts.length === labels.length && parts.every((part, at) => new Wildcard(part).matches(labels[at] as string));
}

/** The suffixes of a host name after removing one or more names from its start. */
function tailsOf(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, at) => labels.slice(at + 1).join("."));
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, "");
}
