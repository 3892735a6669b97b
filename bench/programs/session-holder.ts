// Opens this many sessions with this many hooks each, sends an event to each, and prints its peak memory in bytes.
const [how = "", sessions = "1", hooks = "10"] = process.argv.slice(2);
const event = { turnIndex: 0, timestamp: 0 };

/** Functions that prepare each way of opening sessions; each imports only what it needs. */
const ways: Readonly<Record<string, () => Promise<(id: string) => Promise<object>>>> = {
  async hookline() {
    const { createRuntime } = await import("@hookline/runtime");
    const { NO_HOME } = await import("../../scripts/no-home.ts");
    const runtime = createRuntime({ home: NO_HOME });
    return async (sessionId) => {
      const session = await runtime.open({ scene: { sessionId, cwd: "/" } });
      for (let i = 0; i < Number(hooks); i++) session.on("turn.start", async () => undefined);
      await session.emit("turn.start", event);
      return session;
    };
  },
  async pi() {
    const { piEmitter } = await import("./emitters.ts");
    return async () => {
      const emitter = await piEmitter(Number(hooks));
      await emitter.emit(event);
      return emitter;
    };
  },
};

const open = await ways[how]?.();
if (open === undefined) throw new Error(`no sessions are called "${how}"`);
const kept: object[] = [];
for (let i = 0; i < Number(sessions); i++) kept.push(await open(`s${i}`));
process.stdout.write(`${process.resourceUsage().maxRSS * 1024}\n`);
if (kept.length !== Number(sessions)) throw new Error("a session was not kept");
