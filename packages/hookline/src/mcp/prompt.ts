import type { McpServer, ServerPrompt } from "./server.ts";

/**
 * Gets a server's prompt with the given arguments and returns its text. Words such as `name=value` set single
 * arguments; all other words fill the remaining arguments in order, and the last argument gets the rest. Throws an
 * error for the person if an argument is missing or the server does not answer.
 */
export async function promptText(server: McpServer, prompt: ServerPrompt, given: string): Promise<string> {
  const { messages } = await server.prompt(prompt.name, argumentsOf(prompt, given));
  const texts = messages.map(({ role, content }) => {
    const text = content.type === "text" ? content.text : embeddedText(content);
    return role === "assistant" ? `[an earlier reply]\n${text}` : text;
  });
  return texts.join("\n\n");
}

function embeddedText(content: { readonly type: string; readonly resource?: object }): string {
  const text = content.resource !== undefined && "text" in content.resource ? content.resource.text : undefined;
  return typeof text === "string" ? text : `[${content.type} of the prompt, not text]`;
}

/** Splits the text after a prompt's name into arguments, by name. */
export function argumentsOf({ name, arguments: wanted = [] }: ServerPrompt, given: string): Record<string, string> {
  const args: Record<string, string> = {};
  const words = given.match(/"[^"]*"|\S+/g)?.map((word) => word.replace(/^"(.*)"$/, "$1")) ?? [];
  const names = wanted.map((one) => one.name);
  const loose: string[] = [];
  for (const word of words) {
    const at = word.indexOf("=");
    if (at > 0 && names.includes(word.slice(0, at))) args[word.slice(0, at)] = word.slice(at + 1);
    else loose.push(word);
  }
  const open = names.filter((one) => !(one in args));
  for (const [at, one] of open.entries()) {
    const rest = at === open.length - 1 ? loose.slice(at).join(" ") : (loose[at] ?? "");
    if (rest !== "") args[one] = rest;
  }
  const missing = wanted.filter((one) => one.required === true && !(one.name in args)).map((one) => one.name);
  if (missing.length > 0) throw new Error(`The prompt ${name} needs ${missing.join(", ")}; write them after its name.`);
  return args;
}
