import { readFileSync } from "node:fs";
import { jcli } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { importPeer } from "../peer.ts";

/**
 * Reads a configuration in a fresh process and prints the nanoseconds. The first argument names the reader, the others
 * are the reader's own: `jcli` opens a session with a home folder; `zod` reads a file with yaml and zod, which it
 * imports.
 */
const [how = "", ...given] = process.argv.slice(2);

const WAYS: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  jcli: session,
  async zod() {
    return async () => {
      const [{ parse }, { z }] = await Promise.all([import("yaml"), importPeer<typeof Zod>("zod", "4.1.12")]);
      const hook = z.object({
        type: z.enum(["bash", "llm"]).default("bash"),
        command: z.string(),
        timeout: z.number().int().positive(),
        retry: z.number().int().min(0),
        on_error: z.enum(["skip", "abort"]),
        filter: z.object({ tool_name: z.string() }).optional(),
      });
      z.record(z.string(), z.array(hook)).parse(parse(readFileSync(given[0] as string, "utf8")));
    };
  },
};

/** The part of zod that is used here. */
declare const Zod: {
  readonly z: {
    object(shape: object): Schema;
    enum(names: readonly string[]): Schema;
    string(): Schema;
    number(): Schema;
    array(of: Schema): Schema;
    record(key: Schema, value: Schema): Schema;
  };
};
interface Schema {
  default(value: unknown): Schema;
  optional(): Schema;
  int(): Schema;
  positive(): Schema;
  min(value: number): Schema;
  parse(value: unknown): unknown;
}

async function session(): Promise<() => Promise<void>> {
  const [home = "", expected = "0"] = given;
  const runtime = createHookRuntime({ dialects: [jcli], home, env: { PATH: process.env["PATH"] } });
  return async () => {
    const opened = await runtime.open({ scene: { sessionId: "bench", cwd: home } });
    const { length } = opened.hooks();
    if (length !== Number(expected)) throw new Error(`${length} hooks were loaded`);
    end = () => runtime.close();
  };
}

let end: () => Promise<void> = async () => {};
const work = await (WAYS[how] as () => Promise<() => Promise<void>>)();
const started = process.hrtime.bigint();
await work();
const ns = process.hrtime.bigint() - started;
await end();
process.stdout.write(`${ns}\n`, () => process.exit(0));
