import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LOOK } from "../kinds.ts";
import { observe } from "../observe.ts";
import { hookline, realOmp } from "../programs.ts";
import { peer } from "./peer.ts";

declare const note: (...values: unknown[]) => void;

declare const kindsOf: (object: unknown) => Record<string, string>;

/** Notes of each object that an extension is given the names of its members, each with its kind. */
const look = (pi: any): void => {
  // Members that are there on request are asked for by name.
  void [pi.typebox, pi.zod, pi.arktype];
  pi.on("session_start", (_: unknown, ctx: any) => {
    note("api", kindsOf(pi));
    note("ctx", kindsOf(ctx));
    note("ui", kindsOf(ctx.ui));
    note("models", kindsOf(ctx.models));
    note("modelRegistry", kindsOf(ctx.modelRegistry));
    note("logger", kindsOf(pi.logger));
    note("events", kindsOf(pi.events));
  });
  pi.on("session_start", (_: unknown, { sessionManager }: any) =>
    note("sessionManager", Object.fromEntries(names.map((name) => [name, typeof sessionManager[name]]))),
  );
};
declare const names: string[];

/** Members that omp's extensions have and ours lack; the dialect's README lists them. */
const ABSENT: Readonly<Record<string, readonly string[]>> = {
  api: ["cwd", "extension", "flagValues", "pendingProviderRegistrations", "runtime"],
  ctx: ["invokeTool", "localProtocolOptions", "memory"],
  sessionManager: [
    ...["allocateArtifactPath", "getArtifactManager", "getArtifactPath", "putBlob", "putBlobSync", "saveArtifact"],
  ],
};

/** The members of a session's store that omp promises to extensions, from its own types. */
function promised(folder: string): string[] {
  const text = readFileSync(join(folder, "src/session/session-manager.ts"), "utf8");
  const [, list = ""] = /ReadonlySessionManager = Pick<([^>]*)>/.exec(text) ?? [];
  return [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name as string);
}

test.skipIf("absent" in peer)("the objects that an extension is given have the members of omp's", async () => {
  if ("absent" in peer) return;
  const names = promised(peer.folder);
  expect(names).toContain("getSessionFile");
  const source = `${LOOK}\nconst names = ${JSON.stringify(names)};\nexport default ${String(look)};\n`;
  const given = {
    prompts: ["hello"],
    replies: [{ text: "ok" }],
    record: false,
    files: { ".omp/extensions/look.ts": source },
  } as const;
  const [omp, ours] = await Promise.all([observe(realOmp(peer), given), observe(hookline, given)]);
  const objects = (notes: readonly any[]): Record<string, Record<string, string>> => Object.fromEntries(notes);
  const [theirs, own] = [objects(omp.notes), objects(ours.notes)];
  expect(Object.keys(own).sort()).toEqual(Object.keys(theirs).sort());
  expect(Object.keys(theirs)).toHaveLength(8);
  const unlike = Object.entries(theirs).flatMap(([object, kinds]) =>
    Object.entries(kinds)
      .filter(([name, kind]) => own[object]?.[name] !== kind)
      .map(([name]) => [object, name]),
  );
  const absent = Object.entries(ABSENT).flatMap(([object, all]) => all.map((name) => [object, name]));
  expect(unlike.sort()).toEqual(absent.sort());
});
