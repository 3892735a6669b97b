import { canonical } from "./identity.ts";

/** A verdict of an interceptor, with sugar removed. */
export interface Verdict {
  readonly decision: "allow" | "deny" | "transform";
  readonly reason?: string;
  readonly message?: string;
  readonly warnings?: readonly { readonly reason?: string; readonly message?: string }[];
  /** With `deny`: an approver may lift it. */
  readonly approval?: object;
  readonly transform?: { readonly path: string; readonly value?: unknown };
  readonly evidence?: object;
  readonly result_labels?: readonly string[];
}

/** The largest evidence, in bytes of canonical JSON. */
const MOST_EVIDENCE = 10_240;

/** A refusal by the host itself. */
export const hostError = (name: string): Verdict => ({ decision: "deny", reason: `host_error:${name}` });

/** Why a value is no verdict; undefined for one. Members that are `null` count as absent. */
export function problemOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "it is no object";
  const { decision, reason, approval, transform, evidence } = value as Record<string, unknown>;
  if (decision !== "allow" && decision !== "deny" && decision !== "transform") return "its decision is none";
  if (reason != null && (typeof reason !== "string" || reason.startsWith("host_error:"))) return "its reason is none";
  if (approval != null && decision !== "deny") return "only a denial can be lifted";
  if ((transform != null) !== (decision === "transform")) return "its decision does not fit its transform";
  if (transform != null && typeof (transform as Record<string, unknown>)["path"] !== "string") return "it has no path";
  if (evidence != null && Buffer.byteLength(canonical(evidence)) > MOST_EVIDENCE) return "its evidence is too large";
  return undefined;
}

const STEP = /^(?:\.([A-Za-z0-9_-]+)|\[(\d+)\]|\["([A-Za-z0-9_-]+)"\])/;

/** The target with a transform's value at its path, or the name of the host's error. */
export function transformed(
  target: unknown,
  { path, value = null }: NonNullable<Verdict["transform"]>,
): { readonly target: unknown } | { readonly error: "transform_target_forbidden" | "transform_invalid" } {
  const root = /^\$(?:target|policy_target)(?![A-Za-z0-9_-])/.exec(path);
  if (root === null) return { error: "transform_target_forbidden" };
  const steps: (string | number)[] = [];
  for (let rest = path.slice(root[0].length); rest !== ""; ) {
    const step = STEP.exec(rest);
    if (step === null) return { error: "transform_invalid" };
    steps.push(step[2] === undefined ? ((step[1] ?? step[3]) as string) : Number(step[2]));
    rest = rest.slice(step[0].length);
  }
  const holder = { target: structuredClone(target) };
  let at: Record<string | number, unknown> = holder;
  for (const [n, step] of ["target", ...steps].entries()) {
    const isList = Array.isArray(at);
    if (typeof at !== "object" || at === null || isList !== (typeof step === "number") || !Object.hasOwn(at, step))
      return { error: "transform_invalid" };
    if (n === steps.length) at[step] = value;
    else at = at[step] as Record<string | number, unknown>;
  }
  return { target: holder.target };
}
