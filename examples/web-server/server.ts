import { createServer, type Server } from "node:http";
import { createRuntime, type Session, textOf } from "@hookline/runtime";
import { dialects } from "@hookline/runtime/dialects";

const runtime = createRuntime({ dialects, runUnapprovedProjectHooks: true });
const sessions = new Map<string, Promise<Session>>();

/** The hooks of one visitor, which share nothing with those of another. */
function sessionOf(id: string): Promise<Session> {
  const known = sessions.get(id);
  if (known !== undefined) return known;
  const opened = runtime.open({ scene: { sessionId: id, cwd: import.meta.dirname } });
  sessions.set(id, opened);
  return opened;
}

let count = 0;

/** `POST /SESSION/TOOL` runs a tool in a session; `DELETE /SESSION` ends it. */
export const server: Server = createServer(async (request, response) => {
  const [id = "", tool = ""] = (request.url ?? "").slice(1).split("/");
  const session = await sessionOf(id);
  if (request.method === "DELETE") {
    sessions.delete(id);
    await session.close();
    response.end();
    return;
  }
  const call = { tool, args: {}, toolCallId: `c${count++}` };
  const { content, isError } = await session.wrap(call, () => `${tool} for ${id}`);
  response.statusCode = isError ? 403 : 200;
  response.end(textOf(content));
});

server.on("close", () => void runtime.close());
