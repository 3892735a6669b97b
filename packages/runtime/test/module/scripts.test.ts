import { describe, expect, test } from "vitest";
import { createModuleTransport } from "../../src/transport/module/transport.ts";
import { exportsOf, Project } from "./project.ts";

const transport = createModuleTransport();

async function thrownBy(run: () => unknown): Promise<any> {
  try {
    await run();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("nothing was thrown");
}

describe("the owner of an error", () => {
  test("is the entry of the load that threw it, later and from a helper too", async () => {
    using project = new Project({
      "a.ts": 'import { later } from "./lib/helper"; export default later;',
      "b.ts": 'import { later } from "./lib/helper"; export default later;',
      "lib/helper.ts":
        "export const later = () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 1));",
    });
    for (const name of ["a.ts", "b.ts", "a.ts"]) {
      const { default: later } = exportsOf(await transport.load(project.call(name)));
      expect(transport.owner(await thrownBy(later))).toBe(project.path(name));
    }
  });

  test("is the path that was asked for, where that is a link", async () => {
    using project = new Project({ "real.ts": "export default () => { throw new Error('here') }" });
    const { symlinkSync } = await import("node:fs");
    symlinkSync(project.path("real.ts"), project.path("link.ts"));
    const { default: fail } = exportsOf(await transport.load(project.call("link.ts")));
    expect(transport.owner(await thrownBy(fail))).toBe(project.path("link.ts"));
  });

  test("is found under names with spaces and brackets, in async frames, and through a cause", async () => {
    using project = new Project({
      "my (dir)/at x.ts":
        "export default async () => { await null; await fail() }; async function fail() { await null; throw new Error('x') }",
    });
    const { default: fail } = exportsOf(await transport.load(project.call("my (dir)/at x.ts")));
    const thrown = await thrownBy(fail);
    expect(transport.owner(thrown)).toBe(project.path("my (dir)/at x.ts"));
    const outer = new Error("outer", { cause: new Error("middle", { cause: thrown }) });
    expect(transport.owner(outer)).toBe(project.path("my (dir)/at x.ts"));
  });

  test("is unknown for the host's errors and for what is no error", () => {
    const looped: { cause?: unknown } = {};
    looped.cause = looped;
    const hostile = {
      get stack() {
        throw new Error("hostile");
      },
    };
    for (const thrown of [new Error("host"), "text", undefined, null, 5, looped, hostile, { stack: 5 }]) {
      expect(transport.owner(thrown)).toBeUndefined();
      expect(transport.position(thrown)).toBeUndefined();
    }
  });
});

test("a position leads back to the source through erased types and a cut preamble", async () => {
  using project = new Project({
    "a.ts": [
      'import * as path from "node:path";',
      "interface Long {",
      "  a: string;",
      "}",
      "enum Level { Low }",
      "",
      "export default function factory(long?: Long): string {",
      "  if (long === undefined) throw new Error(path.sep + Level.Low);",
      "  return long.a;",
      "}",
    ].join("\n"),
  });
  const { default: factory } = exportsOf(await transport.load(project.call("a.ts")));
  expect(transport.position(await thrownBy(() => factory()))).toEqual({
    file: project.path("a.ts"),
    line: 8,
    column: 33,
  });
});
