import { KeybindingsManager, type KeyId, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";

const isWindows = process.platform === "win32";

/** The agent's own key bindings, by pi's names of the actions. pi-tui defines the others, such as the editor's. */
export const APP_KEYBINDINGS: Readonly<
  Record<string, { readonly defaultKeys: KeyId | KeyId[]; readonly description: string }>
> = {
  "app.interrupt": { defaultKeys: "escape", description: "Cancel or abort" },
  "app.clear": { defaultKeys: "ctrl+c", description: "Clear the editor" },
  "app.exit": { defaultKeys: "ctrl+d", description: "Leave when the editor is empty" },
  "app.suspend": { defaultKeys: isWindows ? [] : "ctrl+z", description: "Suspend to the background" },
  "app.thinking.cycle": { defaultKeys: "shift+tab", description: "Next thinking level" },
  "app.thinking.toggle": { defaultKeys: "ctrl+t", description: "Show or hide thinking" },
  "app.model.cycleForward": { defaultKeys: "ctrl+p", description: "Next model" },
  "app.model.cycleBackward": { defaultKeys: "shift+ctrl+p", description: "Previous model" },
  "app.model.select": { defaultKeys: "ctrl+l", description: "Choose a model" },
  "app.tools.expand": { defaultKeys: "ctrl+o", description: "Show or hide tool output" },
  "app.editor.external": { defaultKeys: "ctrl+g", description: "Open an external editor" },
  "app.message.copy": { defaultKeys: "ctrl+x", description: "Copy the last reply" },
  "app.message.followUp": { defaultKeys: "alt+enter", description: "Queue a message for afterwards" },
  "app.message.dequeue": { defaultKeys: "alt+up", description: "Take queued messages back" },
  "app.agents.show": { defaultKeys: "alt+a", description: "Show the sub-agents" },
  "app.clipboard.pasteImage": { defaultKeys: isWindows ? "alt+v" : "ctrl+v", description: "Paste an image" },
  "app.session.new": { defaultKeys: [], description: "Start a session" },
  "app.session.tree": { defaultKeys: [], description: "Show the session's tree" },
  "app.session.fork": { defaultKeys: [], description: "Fork the session" },
  "app.session.resume": { defaultKeys: [], description: "Open another session" },
};

/** Makes the key bindings for extensions' components: pi-tui's keys and the agent's own. */
export function createKeybindings(user: Readonly<Record<string, KeyId | KeyId[]>> = {}): KeybindingsManager {
  return new KeybindingsManager({ ...TUI_KEYBINDINGS, ...APP_KEYBINDINGS }, user);
}
