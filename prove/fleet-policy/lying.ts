import { type Bus, busOf } from "../../packages/fleet/src/link/bus.ts";
import { policyPlace } from "../../packages/fleet/src/policy/take.ts";
import { type BucketName, KEYS, makeBuckets, readKey, writeKey } from "../../packages/fleet/src/store/buckets.ts";
import { Follower } from "../../packages/fleet/src/store/follow.ts";
import { BareServer } from "../../packages/fleet/test/support/bare-server.ts";
import type { Clock } from "../../packages/ground/src/time/clock.ts";
import type { Dice } from "../stage/dice.ts";
import { Machine, NOW, publication, signed } from "./machine.ts";
import { OFFERS } from "./offers.ts";

/** A real server to which an attacker may write anything, and machines that follow it. */
export class LyingServer {
  readonly #server: BareServer;
  readonly #bus: Bus;
  readonly #close: () => Promise<void>;

  private constructor(server: BareServer, bus: Bus, close: () => Promise<void>) {
    this.#server = server;
    this.#bus = bus;
    this.#close = close;
  }

  static async start(): Promise<LyingServer> {
    const server = new BareServer();
    await server.start();
    const connection = await server.connect();
    await makeBuckets(connection, "acme");
    return new LyingServer(server, await busOf(connection), () => connection.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    await this.#server[Symbol.asyncDispose]();
  }

  /** Offers one bad version between two good ones, and returns what a machine did wrong. */
  async trial(dice: Dice): Promise<string | undefined> {
    using machine = new Machine();
    const told: string[] = [];
    let now = NOW;
    const clock: Clock = { now: () => now, wall: () => now, timer: () => ({ cancel() {}, hold() {} }) };
    const follow = (): Follower =>
      new Follower({
        place: policyPlace(machine.folder),
        roots: machine.roots,
        channel: "stable",
        bus: this.#bus,
        clock,
        answers: async () => true,
        load: async () => ({ use: () => {}, drop: () => {} }),
        tell: (problem) => told.push(problem),
      });
    const follower = follow();
    const version = 2 + dice.below(50);
    const first = publication(dice, version);
    await this.#put(signed(first), first.blobs);
    await follower.look();
    if (follower.current?.manifest.version !== version) return `the first version was not taken: ${told}`;
    const fault = dice.pick(Object.keys(OFFERS));
    const offer = OFFERS[fault]?.({ dice, version, next: publication(dice, version + 1 + dice.below(9)) });
    if (offer === undefined) return "there is no such offer";
    now = offer.now ?? NOW;
    await this.#put(offer.envelope, offer.blobs);
    await follower.look();
    now = NOW;
    if (follower.current?.manifest.version !== version) return `${fault}: it was taken`;
    if (told.length !== 1) return `${fault}: it was told ${told.length} times`;
    if (follow().current?.manifest.version !== version) return `${fault}: the next start has another version`;
    const later = publication(dice, version + 20);
    await this.#put(signed(later), later.blobs);
    await follower.look();
    const found = follower.current?.manifest.version;
    return found === version + 20 ? undefined : `${fault}: the good one behind it was not taken: ${told}`;
  }

  async #put(envelope: Uint8Array, blobs: ReadonlyMap<string, Uint8Array>): Promise<void> {
    for (const [hash, data] of blobs) await this.#write("blobs", hash, data);
    await this.#write("policy", KEYS.channel("stable"), envelope);
  }

  async #write(bucket: BucketName, key: string, data: Uint8Array): Promise<void> {
    const before = await readKey(this.#bus, "acme", { bucket, key });
    await writeKey(this.#bus, "acme", { bucket, key, data, after: before?.seq ?? 0 });
  }
}
