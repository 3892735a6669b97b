import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { VERSION } from "@hookline/ground";
import { LONGEST_MS } from "@hookline/runtime/engine";
import {
  type CallToolResult,
  Client,
  type ElicitRequest,
  type ElicitResult,
  type GetPromptResult,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Notified, ServerPrompt, ServerTool } from "./server.ts";

/** Receives a server's questions, notifications and problems, and the end of the connection. */
export interface ClientEars {
  readonly cwd: string;
  /** Asks the person a question of the server. */
  elicit(asked: ElicitRequest["params"], signal: AbortSignal): Promise<ElicitResult>;
  /** `notified` gets each notification of the server, `refused` the method of each of its requests that is refused. */
  notified(notification: Notified): void;
  refused(method: string): void;
  closed(): void;
  troubled(problem: string): void;
}

/** A connection to one server. */
export interface Connection {
  readonly serverName: string;
  tools(signal: AbortSignal): Promise<readonly ServerTool[]>;
  prompts(signal: AbortSignal): Promise<readonly ServerPrompt[]>;
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<GetPromptResult>;
  call(name: string, args: Readonly<Record<string, unknown>>, about: CallAbout): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** The signal that ends a tool call, and the function that receives its progress messages. */
export interface CallAbout {
  readonly signal: AbortSignal;
  progressed(text: string): void;
}

/** Switches the library's time limits off. They would count the time in which the person answers a question. */
const NO_LIMIT = { timeout: LONGEST_MS };

/** Makes the transport to a server at a URL. */
export function httpTransport(
  url: string,
  headers: Readonly<Record<string, string>>,
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>,
): Transport {
  return new StreamableHTTPClientTransport(new URL(url), { fetch, requestInit: { headers: { ...headers } } });
}

/** Connects to a server as hookline's client. Tools are only called through connections that this function makes. */
export async function connect(transport: Transport, ears: ClientEars, signal: AbortSignal): Promise<Connection> {
  const client = new Client(
    { name: "hookline", version: VERSION },
    { capabilities: { roots: {}, elicitation: { form: { applyDefaults: true } } } },
  );
  client.setRequestHandler("roots/list", () => ({
    roots: [{ uri: pathToFileURL(ears.cwd).href, name: basename(ears.cwd) }],
  }));
  client.setRequestHandler("elicitation/create", (request, { mcpReq }) => ears.elicit(request.params, mcpReq.signal));
  client.onclose = () => ears.closed();
  client.onerror = (error) => ears.troubled(error.message);
  await client.connect(transport, { ...NO_LIMIT, signal });
  listenIn(transport, ears);
  return connectionOf(client);
}

/** Passes every message to `ears` before the client gets it, so that hooks see all notifications of any name. */
function listenIn(transport: Transport, ears: ClientEars): void {
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if ("method" in message) {
      if (!("id" in message)) ears.notified({ method: message.method, params: message.params ?? {} });
      else if (message.method === "sampling/createMessage") ears.refused(message.method);
    }
    deliver?.(message, extra);
  };
}

function connectionOf(client: Client): Connection {
  const can = client.getServerCapabilities() ?? {};
  return {
    serverName: client.getServerVersion()?.name ?? "",
    tools: async (signal) =>
      can.tools === undefined
        ? []
        : (await client.listTools(undefined, { ...NO_LIMIT, signal })).tools.map(
            ({ name, title, description = "", inputSchema }) => ({ name, title, description, inputSchema }),
          ),
    prompts: async (signal) =>
      can.prompts === undefined ? [] : (await client.listPrompts(undefined, { ...NO_LIMIT, signal })).prompts,
    prompt: (name, args, signal) => client.getPrompt({ name, arguments: { ...args } }, { ...NO_LIMIT, signal }),
    call: (name, args, { signal, progressed }) =>
      client.callTool(
        { name, arguments: { ...args } },
        {
          ...NO_LIMIT,
          signal,
          onprogress: ({ progress, total, message }) =>
            progressed(message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`),
        },
      ),
    close: () => client.close(),
  };
}
