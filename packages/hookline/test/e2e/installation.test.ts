import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";

const own = fileURLToPath(new URL("../..", import.meta.url));
const esbuild = fileURLToPath(new URL("../../../../node_modules/esbuild", import.meta.url));

describe("an installation that lacks a part", () => {
  let place: Workplace;
  let installed: string;

  beforeEach(() => {
    place = new Workplace();
    installed = join(place.top, "installed");
    for (const part of ["bin", "dist", "package.json"])
      cpSync(join(own, part), join(installed, part), { recursive: true });
    place.write("script.yaml", "replies:\n  - { text: done, repeat: true }\n");
    place.write("~/.pi/agent/extensions/fine.ts", "export default (pi: any) => pi.on('input', () => undefined);\n");
    place.write("~/.omp/agent/hooks/pre/fine.js", "export default (pi) => pi.on('tool_call', () => undefined);\n");
  });

  afterEach(() => place.remove());

  const ask = (...args: string[]) => place.run(args, { program: join(installed, "bin/hookline.js") });

  test.each([
    ["a package", () => {}, "Cannot find package 'esbuild'"],
    [
      "a package's program for this machine",
      () => {
        for (const part of ["lib", "package.json"])
          cpSync(join(esbuild, part), join(installed, "node_modules/esbuild", part), { recursive: true });
      },
      "needed by esbuild",
    ],
  ])("%s: the installation is blamed, with what to do, and never the hook's file", async (_, prepare, problem) => {
    mkdirSync(join(installed, "node_modules"));
    prepare();
    const ran = await ask("--script", "script.yaml", "-p", "hello", "--verbose");
    for (const file of ["fine.ts", "fine.js"])
      expect(ran.err).toMatch(
        new RegExp(`${file} could not be loaded: hookline's installation is incomplete: its package esbuild`),
      );
    expect(ran.err).toContain(problem);
    expect(ran.err).toContain("Install hookline again");
    expect(ran.err).not.toContain("Correct the file");
    const listed = await ask("hooks");
    expect(listed.out).toContain("hookline's installation is incomplete");
    expect(listed.out).not.toContain("Correct the file");
  });
});
