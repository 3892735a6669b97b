import { closeSync, writeSync } from "node:fs";
import { formatSize, truncateHead } from "@hookline/ground";
import type { Content } from "@hookline/runtime/engine";
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { NamedTool } from "../mcp/servers.ts";
import { imageTypeOf } from "./image.ts";
import { isRecord, resolveReference, type Schema } from "./json-schema.ts";
import { openOutputFile } from "./output-files.ts";
import type { Tool, ToolResult } from "./tool.ts";

/** Wraps an MCP server's tool for the agent. Outputs too long for the model are stored in the folder `outputs`. */
export function mcpTool({ name, server, tool }: NamedTool, outputs: string): Tool {
  return {
    name,
    label: tool.title ?? `${server.name}: ${tool.name}`,
    description: tool.description,
    parameters: tool.inputSchema,
    checks: knownPart(tool.inputSchema),
    async execute(_id, params, signal, onUpdate) {
      const progressed = (text: string): void => onUpdate?.({ content: [{ type: "text", text }] });
      return resultOf(await server.callMcp(tool.name, params, { signal, progressed }), outputs);
    },
  };
}

/** Converts an MCP server's answer for the model: pictures stay pictures, everything else becomes text. */
function resultOf({ content, structuredContent, isError }: CallToolResult, outputs: string): ToolResult {
  const blocks = content.map(contentOf);
  // If the answer has only structured content, the model gets it as JSON.
  const alone = blocks.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : undefined;
  const said = alone === undefined ? blocks : [{ type: "text" as const, text: alone }];
  return {
    content: said.map((block) => (block.type === "text" ? { ...block, text: bounded(block.text, outputs) } : block)),
    ...(structuredContent !== undefined && { details: structuredContent }),
    ...(isError === true && { isError: true }),
  };
}

function contentOf(block: CallToolResult["content"][number]): Content {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return pictureOf(block.data, block.mimeType);
    case "resource_link":
      return {
        type: "text",
        text: `[resource ${block.uri}${block.description === undefined ? "" : `: ${block.description}`}]`,
      };
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return { type: "text", text: `[resource ${resource.uri}]\n${resource.text}` };
      return { type: "text", text: `[resource ${resource.uri}: ${sizeOf(resource.blob)} that are no text]` };
    }
    default:
      return { type: "text", text: `[${block.type}: ${sizeOf(block.data)}, ${block.mimeType}]` };
  }
}

/** Returns a picture in a format that providers accept, otherwise a description as text. */
function pictureOf(data: string, mimeType: string): Content {
  const type = imageTypeOf(Buffer.from(data.slice(0, 4096), "base64"));
  if (type === undefined) return { type: "text", text: `[image: ${sizeOf(data)}, ${mimeType}, which cannot be shown]` };
  return { type: "image", data, mimeType: type };
}

function sizeOf(base64: string): string {
  return formatSize(Math.floor((base64.length * 3) / 4));
}

/** Cuts a long text to its beginning, with the path of a file that contains all of it. */
function bounded(text: string, outputs: string): string {
  const { content, truncated, outputLines, totalLines } = truncateHead(text);
  if (!truncated) return text;
  return `${content}\n\n[Showing ${outputLines} of ${totalLines} lines. ${kept(text, outputs)}]`;
}

function kept(text: string, outputs: string): string {
  try {
    const { path, descriptor } = openOutputFile(outputs);
    try {
      writeSync(descriptor, text);
    } finally {
      closeSync(descriptor);
    }
    return `Full output: ${path}`;
  } catch (thrown) {
    return `Full output could not be saved: ${(thrown as Error).message}`;
  }
}

/** The depth down to which arguments are checked. The server checks deeper ones. */
const MOST_DEPTH = 60;

/** Removes references to other documents from a schema. The server checks what they describe. */
function knownPart(schema: Readonly<Record<string, unknown>>): Tool["parameters"] {
  const known = (part: unknown, depth: number): unknown => {
    if (Array.isArray(part)) return part.map((one) => known(one, depth + 1));
    if (!isRecord(part)) return part;
    if (depth > MOST_DEPTH) return {};
    const { $ref: reference } = part;
    const isLost = typeof reference === "string" && !isWithin(reference, schema);
    return Object.fromEntries(
      Object.entries(part).flatMap(([key, one]) => (key === "$ref" && isLost ? [] : [[key, known(one, depth + 1)]])),
    );
  };
  return known(schema, 0) as Tool["parameters"];
}

function isWithin(reference: string, root: Schema): boolean {
  try {
    return resolveReference(reference, root) !== false;
  } catch {
    return false;
  }
}
