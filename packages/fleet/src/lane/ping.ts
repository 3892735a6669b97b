import { randomBytes } from "node:crypto";
import type { Link } from "../link/link.ts";
import { namesOf, PING } from "../name/subjects.ts";
import type { Creds } from "../sign/creds.ts";
import { readAnswer } from "../wire/answer.ts";
import { type Question, TOKEN_HEADER, writeQuestion } from "../wire/question.ts";

/** Makes a question that asks workers whether they serve a bundle. */
export function pingQuestion(machine: string, bundle: string, deadlineMs: number): Question {
  return {
    v: 1,
    id: randomBytes(16).toString("base64url"),
    machine,
    session: "ping",
    pass: 1,
    event: PING,
    deadlineMs,
    bundle,
    payload: {},
  };
}

/** Returns the name of a worker that serves a bundle; `undefined` if none answers. */
export async function ping(
  link: Pick<Link, "request">,
  creds: Creds,
  { digest, mostMs }: { readonly digest: string; readonly mostMs: number },
): Promise<string | undefined> {
  const question = pingQuestion(creds.machine, digest, mostMs);
  const reply = await link.request(namesOf(creds.fleet).ask(digest, PING), writeQuestion(question, creds), {
    headers: { [TOKEN_HEADER]: creds.token },
    mostMs,
  });
  const read = reply.state === "reply" ? readAnswer(reply.data, question) : undefined;
  return read?.ok === true ? read.answer.worker : undefined;
}
