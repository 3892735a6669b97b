import { readArguments } from "../../packages/hookline/src/start/args.ts";
import { type Assembled, assemble } from "../../packages/hookline/src/start/assemble.ts";
import type { Place } from "./program.ts";

/** Assembles the agent in this process instead of starting a program; nobody is at a screen. */
export function assembleIn(place: Place, args: readonly string[]): Promise<Assembled> {
  const io = {
    env: { HOME: place.home, HOOKLINE_HOME: place.hookline, PATH: process.env["PATH"] },
    cwd: place.project,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    out: () => {},
    err: () => {},
    readStdin: async () => "",
  };
  return assemble(readArguments(args), io, { mode: "print", ui: undefined, onDiagnostic: () => {} });
}
