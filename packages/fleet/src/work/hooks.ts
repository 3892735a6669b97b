import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, type Diagnostic, type Outcome, type Session } from "@hookline/runtime";
import { dialects } from "@hookline/runtime/dialects";
import { catalog, jsonProblem } from "@hookline/runtime/internal";
import * as v from "valibot";
import { type Bundle, type Coverage, coverageOf } from "../bundle/bundle.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A bundle's remote hooks, loaded. */
export interface BundleHooks {
  readonly coverage: readonly Coverage[];
  /** Asks all hooks of an event; throws for a payload that the event does not have. */
  ask(event: string, payload: Fields, signal: AbortSignal): Promise<Outcome>;
  /** A hook's id without the folder that it was loaded from. */
  nameOf(hook: string): string;
  close(): Promise<void>;
}

/**
 * Loads a bundle's remote hooks as those of an empty home: from a private copy, since programs and caches may write
 * beside them. Throws if one of them does not run.
 */
export async function openHooks(
  { folder, manifest }: Bundle,
  report: (diagnostic: Diagnostic) => void,
): Promise<BundleHooks> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "hookline-worker-")));
  const [home, cwd, own] = ["home", "work", "hookline"].map((name) => join(place, name)) as [string, string, string];
  for (const made of [home, cwd]) mkdirSync(made);
  cpSync(folder, own, { recursive: true });
  const coverage = coverageOf({ manifest });
  const files = new Map(
    manifest.hooks.filter(({ where }) => where === "worker").map((rule) => [join(own, rule.file), rule]),
  );
  const isOf = (path: string, file: string): boolean => path === file || path.startsWith(`${file}/`);
  const runtime = createRuntime({ dialects, home, hooklineHome: own, etc: join(place, "etc") });
  const close = async (): Promise<void> => {
    await runtime.close();
    rmSync(place, { recursive: true, force: true });
  };
  try {
    const closed = [...files].filter(([, { onFailure }]) => onFailure === "closed").map(([path]) => path);
    const session = await runtime.open({
      scene: { sessionId: "fleet", cwd },
      settings: { required: [...files.keys()], failClosed: closed },
      admits: (_, hook) => [...files.keys()].some((file) => isOf(hook.source.path, file)),
      onDiagnostic: report,
      // Then an outcome names every hook that was asked.
      trace: { write: () => {} },
    });
    requireAll(session);
    requireNeeds(coverage);
    return {
      coverage,
      async ask(event, payload, signal) {
        const problem = payloadProblem(event, payload);
        if (problem !== undefined) throw new Error(problem);
        return session.emit(event as never, payload as never, { signal }) as Promise<Outcome>;
      },
      nameOf: (hook) => hook.replaceAll(`${own}/`, ""),
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function requireAll(session: Session): void {
  const [missing] = session.missing();
  if (missing !== undefined) throw new Error(`${missing.expected.name} must run, but does not: ${missing.cause}`);
}

/** Throws if an event could never be asked about because a field that it must have does not leave the machine. */
function requireNeeds(coverage: readonly Coverage[]): void {
  for (const { event, needs, rules } of coverage) {
    const absent = requiredFields(event).find((field) => field !== "toolCallId" && !needs.has(field));
    if (absent !== undefined)
      throw new Error(`${rules[0]?.file} is about ${event}, so its \`needs\` must list "${absent}"`);
  }
}

/** The fields that every payload of an event has. */
function requiredFields(event: string): readonly string[] {
  const schema = catalog.get(event)?.payload() as unknown as {
    readonly entries?: Readonly<Record<string, { type: string }>>;
  };
  return Object.entries(schema.entries ?? {}).flatMap(([name, { type }]) => (type === "optional" ? [] : [name]));
}

function payloadProblem(event: string, payload: Fields): string | undefined {
  const row = catalog.get(event);
  if (row === undefined) return `there is no event ${event}`;
  const read = v.safeParse(row.payload() as unknown as v.GenericSchema, payload, { abortEarly: true });
  return read.success
    ? jsonProblem(payload)
    : `the payload's ${v.getDotPath(read.issues[0]) ?? "fields"} cannot be of ${event}`;
}
