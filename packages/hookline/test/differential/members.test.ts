import { expect, test } from "vitest";
import { runBoth } from "./compare.ts";
import { ask } from "./drive.ts";
import { LOOK } from "./kinds.ts";
import { laterNames } from "./later.ts";
import { describeWithPeer, IS_NEWER } from "./peer.ts";

declare const note: (...values: unknown[]) => void;
declare const kindsOf: (object: unknown) => Record<string, string>;

const look = (pi: any): void => {
  pi.on("session_start", (_: unknown, ctx: any) => {
    note("api", kindsOf(pi));
    note("events", kindsOf(pi.events));
    note("ctx", kindsOf(ctx));
    note("ui", kindsOf(ctx.ui));
    note("modelRegistry", kindsOf(ctx.modelRegistry));
    note("sessionManager", kindsOf(ctx.sessionManager));
  });
  pi.registerCommand("look", { handler: async (_: string, ctx: any) => note("command", kindsOf(ctx)) });
};

describeWithPeer("the objects that an extension is given", () => {
  test("have the members of pi's, each of its kind", async () => {
    const pair = await runBoth({
      mode: "rpc",
      record: false,
      extensions: [`${LOOK}\nexport default ${String(look)};\n`],
      replies: [],
      async drive(talk) {
        talk.send({ type: "prompt", message: "/look" });
        await ask(talk, { type: "get_state" });
      },
    });
    const objects = (notes: readonly any[]): Record<string, Record<string, string>> => Object.fromEntries(notes);
    const [theirs, own] = [objects(pair.pi.notes), objects(pair.hookline.notes)];
    expect(Object.keys(theirs).sort()).toEqual(Object.keys(own).sort());
    expect(Object.keys(theirs)).toHaveLength(7);
    const unlike = Object.entries(theirs).flatMap(([object, kinds]) =>
      Object.entries(kinds)
        .filter(([name, kind]) => own[object]?.[name] !== kind && !isOfItsOwn(object, name, kind))
        .map(([name]) => `${object}.${name}`),
    );
    expect(unlike.sort()).toEqual(IS_NEWER ? laterNames("objects") : []);
  });
});

/** Whether a member is private to pi's classes although JavaScript shows it. */
function isOfItsOwn(object: string, name: string, kind: string): boolean {
  if (object === "modelRegistry") return name === "runtime";
  return object === "sessionManager" && (name.startsWith("_") || kind !== "function");
}
