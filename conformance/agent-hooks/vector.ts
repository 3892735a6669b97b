import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Expectation } from "./judge.ts";
import type { Composition } from "./profile.ts";
import type { Verdict } from "./verdict.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The answer of an interceptor or an approver where the context matches. */
export interface Rule {
  readonly at?: string;
  readonly match?: Fields;
  readonly return?: Verdict;
  readonly fault?: "raise" | "malformed_verdict" | "mutate";
  readonly resolve?: Resolution;
}

/** An approver's answer. */
export interface Resolution {
  readonly outcome: "approve" | "reject" | "unresolved";
  readonly verdict?: Verdict;
  readonly identity_override?: string;
}

/** A vector of the kit, with its defaults filled in. */
export interface Vector {
  readonly id: string;
  readonly title: string;
  readonly part: string;
  readonly mode: "enforce" | "evaluate_only";
  readonly capabilities: readonly string[];
  readonly composition: Composition | undefined;
  readonly identityProvider: string | null;
  readonly redacts: readonly string[];
  readonly interceptors: readonly (readonly Rule[])[];
  readonly approvals: readonly Rule[];
  readonly scenario: {
    readonly input: { readonly content: string };
    readonly tools: readonly {
      readonly name: string;
      readonly behavior: readonly {
        readonly when_args?: Fields;
        readonly return: unknown;
        readonly is_error?: boolean;
      }[];
    }[];
    readonly model_script: readonly {
      readonly respond: {
        readonly content: string | null;
        readonly tool_calls: readonly { readonly id: string; readonly name: string; readonly args: Fields }[];
        readonly finish_reason: string;
      };
    }[];
  };
  readonly expect: Expectation;
}

/** All vectors, in the order of their numbers. */
export function vectors(folder = join(import.meta.dirname, "vectors")): Vector[] {
  return readdirSync(folder)
    .sort()
    .map((name) => vectorOf(JSON.parse(readFileSync(join(folder, name), "utf8")) as Raw));
}

/** A vector as the kit writes it. */
interface Raw extends Partial<Pick<Vector, "part" | "mode" | "composition">> {
  readonly id: string;
  readonly title: string;
  readonly capabilities: readonly string[];
  readonly identity_provider?: string | null;
  readonly redact_for_approval?: readonly string[];
  readonly interceptor_script?: readonly Rule[];
  readonly interceptor_scripts?: readonly (readonly Rule[])[];
  readonly approval_script?: readonly Rule[];
  readonly scenario: Omit<Vector["scenario"], "tools"> & Partial<Pick<Vector["scenario"], "tools">>;
  readonly expect: Expectation;
}

function vectorOf(raw: Raw): Vector {
  const { id, title, part = "core", mode = "enforce", capabilities, composition, scenario, expect } = raw;
  return {
    id,
    title,
    part,
    mode,
    capabilities,
    composition,
    identityProvider: raw.identity_provider === undefined ? "jcs-sha256" : raw.identity_provider,
    redacts: raw.redact_for_approval ?? [],
    interceptors: raw.interceptor_scripts ?? [raw.interceptor_script ?? []],
    approvals: raw.approval_script ?? [],
    scenario: { tools: [], ...scenario },
    expect,
  };
}

/** The value at a dotted path such as `response.tool_calls[0].name`; undefined if there is none. */
export function at(value: unknown, path: string): unknown {
  const names = path.split(/[.[\]]+/).filter((name) => name !== "");
  return names.reduce<unknown>((inner, name) => (inner as Fields | null | undefined)?.[name], value);
}
