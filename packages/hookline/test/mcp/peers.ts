import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";

/** The program of a server of the MCP project; undefined where it is not installed. */
export function serverPath(name: "everything" | "filesystem"): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
  } catch {
    return undefined;
  }
}

/** Says on stderr at which port a server of the process listens, once it does. */
const SAYS_PORT = `import { Server } from "node:net";
const { listen } = Server.prototype;
Server.prototype.listen = function (...words) {
  this.once("listening", () => console.error("port " + this.address().port + "."));
  return listen.apply(this, words);
};`;

/** The server with everything over Streamable HTTP on loopback, at a port that the system chooses. */
export async function everythingOverHttp(): Promise<AsyncDisposable & { readonly url: string }> {
  const preload = `data:text/javascript,${encodeURIComponent(SAYS_PORT)}`;
  const words = ["--import", preload, serverPath("everything") as string, "streamableHttp"];
  const child = spawn(process.execPath, words, {
    env: { ...CHILD_ENV, PORT: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const [, found] = /^port (\d+)\.$/m.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    void gone.then(() => reject(new Error(`the server has ended: ${said}`)));
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await gone;
    },
  };
}
