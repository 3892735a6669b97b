import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildClient } from "../../../../../scripts/bridge-client.ts";
import { CHILD_ENV } from "../../../../../scripts/child-env.ts";
import { inProcessClient } from "../../../../bridge/src/extension/text.ts";
import { temporaryFolder } from "../../../../bridge/test/support/temporary.ts";
import { ABSENT, Rigged } from "./rigged.ts";

/** The clients of the bridge: the native one, the program for Node, and what hosts load into their own process. */
export const CLIENTS = ["native", "node", "module"] as const;
export type ClientName = (typeof CLIENTS)[number];

/** The effect of a client's answer on its host. */
export interface Verdict {
  readonly refusedBecause?: string;
  /** The answer of the hooks, in JSON. */
  readonly answer?: string;
  readonly note?: string;
}

let native: string | undefined;

/** Whether this machine has a client; without a C compiler there is no native one. */
export function hasClient(name: ClientName): boolean {
  native ??= buildClient(temporaryFolder()) ?? "";
  return name !== "native" || native !== "";
}

/** A home with this client; without a program no daemon can be started. */
export function riggedWith(
  name: ClientName,
  program: readonly string[] = [process.execPath, ABSENT],
  home?: string,
): Rigged {
  return new Rigged(name === "native" && hasClient(name) ? (native ?? "") : "", program, home);
}

/** Tells of one event with this client. */
export async function verdictOf(
  name: ClientName,
  at: Rigged,
  event: string,
  {
    env = {},
    deadlineMs = 150,
    input = {},
  }: { env?: Record<string, string>; deadlineMs?: number; input?: object } = {},
): Promise<Verdict> {
  if (name === "module") return moduleVerdict(at, event, env, deadlineMs, input);
  const { stdout, stderr } = await at.tell(event, input, { args: ["--deadline", String(deadlineMs)], env });
  return verdict(stdout, stderr);
}

/** The same by a program that has loaded the module, as an agent would. */
async function moduleVerdict(
  at: Rigged,
  event: string,
  env: Record<string, string>,
  deadlineMs: number,
  input: object,
): Promise<Verdict> {
  const file = join(at.top, "agent.mjs");
  const options = `{ timeoutMs: ${deadlineMs + 500} }`;
  writeFileSync(
    file,
    `${inProcessClient({ host: "rig", origin: "user", hooklineHome: at.hooklineHome })}
console.log(JSON.stringify(await hookline(${JSON.stringify(event)}, ${JSON.stringify({ session: "s", ...input })}, ${options})));\n`,
  );
  mkdirSync(at.project, { recursive: true });
  const child = spawn(process.execPath, [file], {
    cwd: at.project,
    env: { ...CHILD_ENV, HOME: at.home, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece));
  await new Promise((resolve) => child.on("close", resolve));
  const { away, refuses, note, stdout } = JSON.parse(out) as Record<string, string | boolean>;
  if (away === undefined) return verdict(String(stdout), "");
  return { ...(refuses && { refusedBecause: String(away) }), ...(note !== undefined && { note: String(note) }) };
}

function verdict(stdout: string, stderr: string): Verdict {
  const refusedBecause = /hookline is not reachable \((.*?)\)/.exec(stdout + stderr)?.[1];
  if (refusedBecause !== undefined) return { refusedBecause };
  return { ...(stdout !== "" && { answer: stdout }), ...(stderr !== "" && { note: stderr.trim() }) };
}
