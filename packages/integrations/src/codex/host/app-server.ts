import { type ChildProcess, spawn } from "node:child_process";
import { type Fields, isFields, VERSION } from "@hookline/ground";

/** The command that starts Codex, which must be on the user's `PATH`. */
const CODEX = "codex";

/** The time limit for one answer of Codex, in ms. */
const ANSWER_MS = 20_000;

/** Talks to `codex app-server` over stdio, as editors do. Source: spec/hosts/codex/trust-app-server.json. */
export class AppServer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: Fields) => void>();
  #last = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts the server. Throws if Codex is not installed. */
  static async start(cwd: string, env: Readonly<Record<string, string | undefined>>): Promise<AppServer> {
    const child = spawn(CODEX, ["app-server"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
    const server = new AppServer(child);
    child.on("error", (thrown) => server.#fail(`codex could not be started: ${thrown.message}`));
    child.on("exit", () => server.#fail("codex app-server has ended"));
    child.stdin?.on("error", () => {});
    let rest = "";
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) server.#hear(line);
    });
    try {
      await server.ask("initialize", { clientInfo: { name: "hookline", title: "hookline", version: VERSION } });
    } catch (thrown) {
      server.close();
      throw thrown;
    }
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "initialized" })}\n`);
    return server;
  }

  /** Sends one request to Codex and returns the result. Rejects with Codex's error message. */
  ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => reject(new Error(`codex gave no answer to ${method}`)), ANSWER_MS);
    this.#waiting.set(id, ({ result, error }) => {
      clearTimeout(timer);
      this.#waiting.delete(id);
      if (error === undefined) resolve(result);
      else reject(new Error(isFields(error) ? String(error["message"]) : `codex refused ${method}`));
    });
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return promise;
  }

  close(): void {
    this.#child.kill("SIGTERM");
  }

  #hear(line: string): void {
    try {
      const message: unknown = JSON.parse(line);
      if (isFields(message) && typeof message["id"] === "number") this.#waiting.get(message["id"])?.(message);
    } catch {
      // Ignores output that is not a JSON message.
    }
  }

  #fail(message: string): void {
    for (const answer of [...this.#waiting.values()]) answer({ error: { message } });
  }
}

/** A hook as Codex lists it. */
export interface ListedHook {
  readonly key: string;
  readonly eventName: string;
  readonly command: string;
  readonly sourcePath: string;
  readonly currentHash: string;
  readonly trustStatus: string;
  /** False if the user has switched the hook off. */
  readonly enabled?: boolean;
}

/** Returns the hooks that Codex finds in a folder. */
export async function listedHooks(server: AppServer, cwd: string): Promise<readonly ListedHook[]> {
  const answer = await server.ask("hooks/list", { cwds: [cwd] });
  const places = isFields(answer) && Array.isArray(answer["data"]) ? answer["data"] : [];
  return places.flatMap((place: unknown) =>
    isFields(place) && Array.isArray(place["hooks"]) ? (place["hooks"] as readonly ListedHook[]) : [],
  );
}

/** Makes Codex record that hooks with these bytes are trusted. */
export async function trustHooks(server: AppServer, hooks: readonly ListedHook[]): Promise<void> {
  const value = Object.fromEntries(hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
  await server.ask("config/batchWrite", {
    edits: [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }],
    reloadUserConfig: true,
  });
}
