import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { messageOf, systemClock } from "@hookline/runtime/internal";
import { type Bundle, coverageOf } from "../bundle/bundle.ts";
import { bundleInForce } from "../bundle/in-force.ts";
import { addressOf } from "../link/address.ts";
import { Link } from "../link/link.ts";
import { versionWarning } from "../link/version.ts";
import { namesOf, PING } from "../name/subjects.ts";
import { type Membership, membership } from "../place/joined.ts";
import { readAnswer } from "../wire/answer.ts";
import { TOKEN_HEADER, writeQuestion } from "../wire/question.ts";
import { type FleetArgs, type FleetIo, say } from "./io.ts";
import { statusOfAll } from "./present.ts";

const PATIENCE_MS = 5000;

interface Trouble {
  readonly t: number;
  readonly code: "bundle" | "connection" | "worker" | "version";
  readonly message: string;
}

/** `fleet status`: whether the fleet can be reached, and who answers. */
export async function fleetStatus(args: FleetArgs, io: FleetIo): Promise<number> {
  const found = membership(io.hooklineHome, io.env);
  if (found === undefined)
    throw new Error("this machine belongs to no fleet; `hookline fleet join` makes it part of one");
  if (args.flags["all"] === true) return statusOfAll(args, io, found);
  const lastErrors: Trouble[] = [];
  const trouble = (code: Trouble["code"], message: string): void =>
    void lastErrors.push({ t: Date.now(), code, message });
  const bundle = bundleOf(found, (message) => trouble("bundle", message));
  const link = new Link({ url: found.url, creds: found.creds, clock: systemClock, connectMs: PATIENCE_MS });
  try {
    const connected = await link.ready(PATIENCE_MS);
    if (!connected) trouble("connection", link.problem ?? "no answer");
    const version = link.connection?.info?.version;
    const warning = version === undefined ? undefined : versionWarning(version, found.url);
    if (warning !== undefined) trouble("version", warning);
    const worker = connected && bundle !== undefined ? await ping(link, found, bundle) : undefined;
    if (connected && bundle !== undefined && worker === undefined) trouble("worker", "no worker answers");
    const remote =
      bundle === undefined
        ? []
        : [...new Set(coverageOf(bundle).flatMap(({ rules }) => rules.map(({ file }) => file)))];
    const { fleet, machine, channel } = found;
    const server = version === undefined ? null : { version, tls: addressOf(found.url).needsTls };
    const held = bundle && { version: bundle.manifest.version, digest: bundle.digest, ageMs: ageOf(bundle.folder) };
    say(
      args,
      io,
      { fleet, machine, connected, server, channel, bundle: held ?? null, worker: worker ?? null, remote, lastErrors },
      [
        `${machine} of the fleet ${fleet}, channel ${channel}, ${addressOf(found.url).shown}`,
        connected ? `connected to nats-server ${version}` : "not connected",
        bundle === undefined
          ? "no bundle"
          : `bundle ${bundle.manifest.version} (${bundle.digest.slice(0, 16)}): ${remote.join(", ")}`,
        worker === undefined ? "no worker answers" : `${worker} answers`,
        ...lastErrors.map(({ code, message }) => `${code}: ${message}`),
      ],
    );
    return connected && bundle !== undefined ? 0 : 1;
  } finally {
    link.close();
  }
}

function bundleOf(found: Membership, tell: (problem: string) => void): Bundle | undefined {
  try {
    return bundleInForce(found);
  } catch (thrown) {
    tell(messageOf(thrown));
    return undefined;
  }
}

/** The name of a worker that serves the bundle; `undefined` if none answers. */
async function ping(link: Link, { creds }: Membership, { digest }: Bundle): Promise<string | undefined> {
  const question = {
    v: 1,
    id: randomBytes(16).toString("base64url"),
    machine: creds.machine,
    session: "status",
    pass: 1,
    event: PING,
    deadlineMs: PATIENCE_MS,
    bundle: digest,
    payload: {},
  } as const;
  const reply = await link.request(namesOf(creds.fleet).ask(digest, PING), writeQuestion(question, creds), {
    headers: { [TOKEN_HEADER]: creds.token },
    mostMs: PATIENCE_MS,
  });
  const read = reply.state === "reply" ? readAnswer(reply.data, question) : undefined;
  return read?.ok === true ? read.answer.worker : undefined;
}

function ageOf(folder: string): number {
  return Math.max(0, Math.round(Date.now() - statSync(folder).mtimeMs));
}
