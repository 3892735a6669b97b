import { headers } from "@nats-io/transport-node";
import { sha256 } from "../../src/policy/key.ts";
import { messageOfBatch, NOTHING, sealLine } from "../../src/spool/batch.ts";
import { spoolOf } from "../../src/spool/decisions.ts";
import { TOKEN_HEADER } from "../../src/wire/question.ts";
import type { TestFleet } from "./fleet.ts";

/** Puts a batch into the stream that an agent's machine has signed, whatever it holds. */
export async function sendBatch(
  fleet: TestFleet,
  { machine, writer, n, text }: { machine: string; writer: string; n: number; text: string },
): Promise<void> {
  const creds = await fleet.creds(machine, "agent");
  const { key, token } = spoolOf({ creds, spool: fleet.place });
  const content = Buffer.from(text);
  const about = { v: 1, fleet: "acme", machine, writer, n, prev: NOTHING, t: Date.now(), from: 0 } as const;
  const { line } = sealLine({ ...about, bytes: content.length, sha256: sha256(content) }, key);
  const own = headers();
  own.set(TOKEN_HEADER, token);
  const connection = await fleet.connect(creds);
  const subject = fleet.names.decisions(machine, writer);
  await connection.request(subject, messageOfBatch(line, content), { headers: own, timeout: 5000 });
}

/** The first line of a recording of a later version. */
export const LATER = `${JSON.stringify({ v: 3, kind: "recording", at: 0, session: "s", cwd: "/", hookline: "9", level: "decisions", t: 1 })}\n`;
