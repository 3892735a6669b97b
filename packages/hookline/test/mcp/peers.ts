import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

/** The program of a server of the MCP project; undefined where it is not installed. */
export function serverPath(name: "everything" | "filesystem"): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
  } catch {
    return undefined;
  }
}

/** The server with everything over Streamable HTTP on loopback. */
export async function everythingOverHttp(): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort();
  const child = spawn(process.execPath, [serverPath("everything") as string, "streamableHttp"], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (/listening/i.test(said)) resolve();
    });
    void gone.then(resolve);
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await gone;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
