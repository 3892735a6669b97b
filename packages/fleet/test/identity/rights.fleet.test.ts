import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namesOf, PING } from "../../src/name/subjects.ts";
import { ROLES, type Role } from "../../src/sign/creds.ts";
import { hasNats, TestFleet } from "../support/fleet.ts";

const names = namesOf("acme");
const { policy, blobs, presence } = names.buckets;
const DIGEST = "0123456789abcdef".repeat(4);
const direct = (stream: string, subject: string): string => `$JS.API.DIRECT.GET.${stream}.${subject}`;

/** Each subject that anybody in a fleet could want to write to, and the roles that may. */
const PUBLISH: readonly (readonly [subject: string, ...roles: Role[]])[] = [
  [names.ask(DIGEST, "tool.before"), "agent"],
  [names.ask(DIGEST, PING), "agent", "publisher"],
  [`${names.inbox("OWN")}.x`, "worker"],
  [`${names.inbox("other")}.x`, "worker"],
  [names.inbox("other"), ...[]],
  [names.decisions("OWN", "w1"), "agent", "worker"],
  [names.decisions("other", "w1")],
  [names.approval("OWN", "x1"), "agent"],
  [names.approval("other", "x1")],
  [names.approved("OWN", "x1"), "approver"],
  [names.approved("other", "x1"), "approver"],
  [names.policy("stable"), "publisher"],
  [`$KV.${policy}.stable`, "publisher"],
  [`$KV.${blobs}.abc`, "publisher"],
  [`$KV.${presence}.OWN`, "agent", "worker"],
  [`$KV.${presence}.other`],
  [direct(`KV_${policy}`, `$KV.${policy}.stable`), "agent", "worker", "publisher"],
  [direct(`KV_${blobs}`, `$KV.${blobs}.abc`), "agent", "worker", "publisher"],
  [direct(`KV_${presence}`, `$KV.${presence}.other`), "publisher", "auditor"],
  [direct(names.stream, names.decisions("OWN", "w1")), "agent", "worker", "auditor"],
  [direct(names.stream, names.decisions("other", "w1")), "auditor"],
  [`$JS.API.DIRECT.GET.${names.stream}`, "auditor"],
  [`$JS.API.DIRECT.GET.KV_${policy}`],
  [`$JS.API.DIRECT.GET.KV_${presence}`, "publisher", "auditor"],
  [`$JS.API.STREAM.INFO.${names.stream}`, "auditor"],
  ["$JS.API.INFO"],
  ["$JS.API.STREAM.NAMES"],
  ["$JS.API.STREAM.LIST"],
  ["$JS.API.STREAM.CREATE.x"],
  [`$JS.API.STREAM.UPDATE.${names.stream}`],
  [`$JS.API.STREAM.DELETE.${names.stream}`],
  [`$JS.API.STREAM.PURGE.${names.stream}`],
  [`$JS.API.STREAM.MSG.GET.${names.stream}`],
  [`$JS.API.STREAM.MSG.DELETE.${names.stream}`],
  [`$JS.API.STREAM.INFO.KV_${policy}`],
  [`$JS.API.CONSUMER.CREATE.KV_${policy}`],
  [`$JS.API.CONSUMER.CREATE.${names.stream}`],
  [`$JS.API.CONSUMER.DURABLE.CREATE.${names.stream}.c`],
  [`$JS.API.CONSUMER.MSG.NEXT.${names.stream}.c`],
  [`$JS.API.CONSUMER.LIST.${names.stream}`],
  [`$JS.API.CONSUMER.DELETE.${names.stream}.c`],
  [`$JS.ACK.${names.stream}.c.1.1.1.1.1`],
  ["$SYS.REQ.CLAIMS.UPDATE"],
  ["hookline.other.ask.x.y"],
  ["_INBOX.x"],
  ["anything"],
];

/** The same for listening. */
const SUBSCRIBE: readonly (readonly [subject: string, ...roles: Role[]])[] = [
  [`${names.inbox("OWN")}.>`, ...ROLES],
  [`${names.inbox("other")}.>`],
  [`${names.inbox("*")}.>`],
  [names.ask(DIGEST, "*"), "worker"],
  [names.ask("*", "*"), "worker"],
  [names.decisions("OWN", "w1")],
  [names.decisions("*", "*")],
  [names.policy("stable"), "agent", "worker"],
  [names.approval("*", "*"), "approver"],
  [names.approval("OWN", "x1"), "approver"],
  [names.approved("OWN", "*"), "agent"],
  [names.approved("other", "*")],
  [`$KV.${policy}.>`],
  [`$KV.${presence}.>`],
  ["$JS.>"],
  ["$JS.EVENT.>"],
  ["$SYS.>"],
  ["hookline.>"],
  ["_INBOX.>"],
  [">"],
  ["*"],
];

describe.skipIf(!hasNats)("the rights of each role, asked of a real server", () => {
  let fleet: TestFleet;
  const connections = new Map<Role, { readonly connection: NatsConnection; readonly refused: Set<string> }>();

  beforeAll(async () => {
    fleet = await TestFleet.start();
    for (const role of ROLES) {
      const connection = await fleet.connect(await fleet.creds(`the-${role}`, role));
      const refused = new Set<string>();
      void (async () => {
        for await (const status of connection.status())
          if (status.type === "error") refused.add(/"([^"]*)"/.exec(status.error.message)?.[1] ?? "");
      })();
      connections.set(role, { connection, refused });
    }
  });
  afterAll(() => fleet.stop());

  const of = (role: Role) => {
    const found = connections.get(role);
    if (found === undefined) throw new Error(role);
    return found;
  };
  const own = (subject: string, role: Role): string => subject.replaceAll("OWN", `the-${role}`);

  test.each(ROLES)("%s publishes what its row says, and nothing else", async (role) => {
    const { connection, refused } = of(role);
    for (const [subject] of PUBLISH) connection.publish(own(subject, role), "{}");
    await connection.flush();
    const may = PUBLISH.filter(([, ...roles]) => roles.includes(role)).map(([subject]) => own(subject, role));
    // The server reports each refusal before it answers the flush; its client passes it on after that.
    await expect
      .poll(() => PUBLISH.map(([subject]) => own(subject, role)).filter((subject) => !refused.has(subject)))
      .toEqual(may);
  });

  test.each(ROLES)("%s listens to what its row says, and to nothing else", async (role) => {
    const { connection } = of(role);
    const failed = new Set<string>();
    for (const [subject] of SUBSCRIBE)
      connection.subscribe(own(subject, role), {
        callback: (error) => {
          if (error !== null) failed.add(own(subject, role));
        },
      });
    await connection.flush();
    const may = SUBSCRIBE.filter(([, ...roles]) => roles.includes(role)).map(([subject]) => own(subject, role));
    await expect
      .poll(() => SUBSCRIBE.map(([subject]) => own(subject, role)).filter((subject) => !failed.has(subject)))
      .toEqual(may);
  });

  test("nobody but a worker reaches another machine's inbox, also not by a reply subject", async () => {
    const victim = await fleet.connect(await fleet.creds("victim", "agent"));
    const got: Msg[] = [];
    victim.subscribe(`${names.inbox("victim")}.>`, { callback: (_, message) => void got.push(message) });
    await victim.flush();
    for (const role of ROLES.filter((one) => one !== "worker")) {
      const { connection } = of(role);
      connection.publish(`${names.inbox("victim")}.x`, role);
      connection.publish(names.ask(DIGEST, "tool.before"), role, { reply: `${names.inbox("victim")}.x` });
      await connection.flush();
    }
    await victim.flush();
    // A server that has nobody for a question says so to the one who asked, and to nobody else.
    expect(got.map((message) => message.string())).toEqual([]);
  });

  test("a revoked machine is thrown out, and does not come in again", async () => {
    const creds = await fleet.creds("lost", "agent");
    const connection = await fleet.connect(creds);
    const closed = connection.closed();
    await fleet.authority.revoke("lost");
    fleet.server?.reload();
    await closed;
    await expect(fleet.connect(creds)).rejects.toThrow(/[Aa]uthorization/);
  });

  test("a user that the operator's other account could not have made is not let in", async () => {
    const stranger = await TestFleet.start();
    try {
      await expect(fleet.connect(await stranger.creds("the-agent", "agent"))).rejects.toThrow(/[Aa]uthorization/);
    } finally {
      await stranger.stop();
    }
  });
});
