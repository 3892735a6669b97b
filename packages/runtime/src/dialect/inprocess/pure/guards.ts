/** An event about a tool, as far as the guards look at it. */
export interface ToolEvent {
  readonly toolName: string;
}

/** Whether a `tool_call` event is of this tool; narrows the type of its input in TypeScript sources. */
export function isToolCallEventType(toolName: string, event: ToolEvent): boolean {
  return event.toolName === toolName;
}

/** Whether an event is of one tool. */
export function isOf(toolName: string): (event: ToolEvent) => boolean {
  return (event) => event.toolName === toolName;
}

/** Gives a tool's definition back as it is; it only helps type inference. */
export function defineTool<T>(definition: T): T {
  return definition;
}
