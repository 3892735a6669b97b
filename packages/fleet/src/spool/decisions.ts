import { systemClock } from "../kit.ts";
import type { CountedLink } from "../link/counted.ts";
import type { Membership } from "../place/joined.ts";
import { publicKey } from "../policy/key.ts";
import type { Manifest } from "../policy/manifest.ts";
import { bundleInUse, policyPlace } from "../policy/take.ts";
import { publicBytes } from "../sign/nkey.ts";
import { keptRoots } from "../store/trusted.ts";
import { Shipper } from "./shipper.ts";
import { SpoolSink } from "./sink.ts";
import type { SpoolOptions } from "./writer.ts";

/** How long the end of a run waits until the fleet has its last decisions, in ms. */
const LAST_MS = 1000;

/** The audit rule of a policy's version: what of each decision is recorded, and whether it must be. */
export interface Logged {
  /** How much of each decision is kept: `log` leaves out payloads. */
  readonly level: "log" | "decisions";
  /** Whether guarded calls must be refused while decisions cannot be spooled. */
  readonly required: boolean;
}

/** Records an agent's decisions for its fleet. */
export interface Decisions {
  /** The audit rule of the policy version in use. */
  readonly logged: Logged;
  /** Follows the audit rule of this version from now on. */
  follow(manifest: Pick<Manifest, "audit">): void;
  /** Calls `changed` each time another version changes the audit rule. */
  whenChanged(changed: (logged: Logged) => void): void;
  /** Opens the sink that spools a session's decisions; throws as the file system does. */
  to(session: string): SpoolSink & { readonly level: Logged["level"] };
  /** Sends the remaining decisions for a short while. The next agent on this machine sends what is still left. */
  close(): Promise<void>;
}

/** Options for spooling decisions. */
export interface DecisionsOptions {
  readonly membership: Membership;
  readonly link: CountedLink;
  /** Called with the reason, in words, when decisions are lost. */
  lost(problem: string): void;
  readonly spool?: Partial<SpoolOptions>;
}

/** Returns the options of a machine's spool in a fleet. */
export function spoolOf({ creds, spool }: Pick<Membership, "creds" | "spool">): SpoolOptions {
  const { fleet, machine, key, token } = creds;
  const { keyid } = publicKey(publicBytes("user", key.public) ?? Buffer.of());
  return {
    folder: spool,
    fleet,
    machine,
    key: { keyid, sign: (message) => key.sign(message) },
    token,
    clock: systemClock,
  };
}

/**
 * Opens a machine's spool for the decisions of this process. It writes nothing and does not connect before the first
 * decision.
 */
export function openDecisions(options: DecisionsOptions): Decisions {
  const { membership, lost } = options;
  const spool = { ...spoolOf(membership), ...options.spool };
  let logged = loggedBy(auditOf(membership));
  const listeners: ((logged: Logged) => void)[] = [];
  let shipping: { readonly shipper: Shipper; release(): void } | undefined;
  const begin = (): Shipper => {
    if (shipping !== undefined) return shipping.shipper;
    const { link, release } = options.link.take();
    const shipper = new Shipper({ spool, link });
    shipping = { shipper, release };
    return shipper;
  };
  return {
    get logged() {
      return logged;
    },
    follow({ audit }) {
      const next = loggedBy(audit);
      if (next.level === logged.level && next.required === logged.required) return;
      logged = next;
      for (const changed of listeners) changed(next);
    },
    whenChanged: (changed) => void listeners.push(changed),
    to() {
      const sink = new SpoolSink({
        ...spool,
        sealed: () => begin().ship(),
        failing: lost,
      });
      begin().add(sink.writer.place);
      return Object.assign(sink, { level: logged.level });
    },
    async close() {
      await shipping?.shipper.close(LAST_MS);
      shipping?.release();
      shipping = undefined;
    },
  };
}

/** Returns the audit rule of the policy on disk. Without a policy every guarded call is refused anyway. */
function auditOf({ folder, fleet, root, channel }: Membership): Manifest["audit"] {
  const place = policyPlace(folder);
  try {
    const roots = keptRoots(place, { fleet, pin: root });
    return bundleInUse(place, { root: roots.root, channel })?.manifest.audit ?? NO_POLICY;
  } catch {
    return NO_POLICY;
  }
}

function loggedBy({ level, required }: Manifest["audit"]): Logged {
  return { level: level === "payloads" ? "decisions" : "log", required };
}

const NO_POLICY = { level: "decisions", required: false } as const;
