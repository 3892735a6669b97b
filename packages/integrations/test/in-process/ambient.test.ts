import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { ownListener } from "../../../ground/src/process/listener.ts";
import { endWithHost } from "../../../runtime/src/transport/process/presence.ts";
import { noteAmbient } from "../../src/in-process/process-state.ts";

const { PATH } = process.env;
const cwd = process.cwd();
const umask = process.umask();
const nothing = (): void => {};
const ended = (): void => {};

describe("what the process shares", () => {
  afterEach(async () => {
    process.env["PATH"] = PATH;
    process.chdir(cwd);
    process.umask(umask);
    Reflect.deleteProperty(process.env, "HOOKLINE_AMBIENT");
    for (const name of ["SIGHUP", "uncaughtException"]) process.off(name, nothing);
    // Two loads right behind each other share a note.
    await pause(20);
  });

  test("is left as it was", () => {
    expect(noteAmbient()()).toEqual([]);
  });

  test("is reported once, whoever is loaded next", () => {
    const first = noteAmbient();
    Object.assign(process.env, { HOOKLINE_AMBIENT: "x" });
    expect(first()).toEqual(["the variable HOOKLINE_AMBIENT"]);
    const second = noteAmbient();
    process.env["PATH"] = import.meta.dirname;
    expect(second()).toEqual(["the variable PATH"]);
    expect(noteAmbient()()).toEqual([]);
  });

  test("is told to each of two loads that run beside each other", () => {
    const [one, other] = [noteAmbient(), noteAmbient()];
    process.on("SIGHUP", nothing);
    expect([one(), other(), noteAmbient()()]).toEqual([["the listeners of SIGHUP"], ["the listeners of SIGHUP"], []]);
  });

  test("is not what the host does meanwhile for itself", () => {
    const before = noteAmbient();
    const end = endWithHost(2 ** 30);
    process.once("exit", ownListener(ended));
    expect(before()).toEqual([]);
    const after = noteAmbient();
    end();
    process.off("exit", ended);
    expect(after()).toEqual([]);
  });

  test.each<[string, () => unknown, string]>([
    ["the working directory", () => process.chdir("/"), "the working directory"],
    ["the umask", () => process.umask(umask ^ 1), "the umask"],
    ["a variable", () => Object.assign(process.env, { PATH: import.meta.dirname }), "the variable PATH"],
    ["a new variable", () => Object.assign(process.env, { HOOKLINE_AMBIENT: "x" }), "the variable HOOKLINE_AMBIENT"],
    ["a removed variable", () => Reflect.deleteProperty(process.env, "PATH"), "the variable PATH"],
    ["a listener of errors", () => process.on("uncaughtException", nothing), "the listeners of uncaughtException"],
    ["a listener", () => process.on("SIGHUP", nothing), "the listeners of SIGHUP"],
  ])("%s is told", (_, change, told) => {
    const changed = noteAmbient();
    change();
    expect(changed()).toEqual([told]);
  });
});
