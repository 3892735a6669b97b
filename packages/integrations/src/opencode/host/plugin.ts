import { type ModuleParts, moduleText } from "@hookline/bridge/kit";
import { BUS } from "./events.ts";

/** Returns the source of the plugin that OpenCode loads. */
export function pluginText(parts: ModuleParts): string {
  return moduleText(
    parts,
    `\n/** The events of OpenCode's bus that are asked about. */\nconst BUS = ${JSON.stringify(BUS)};\n${PLUGIN}`,
  );
}

const PLUGIN = `
/** Is called by OpenCode when it starts in a folder. */
export const HooklineBridge = async ({ directory, client }) => {
  // Session ids with the promise of their start event. All other events of a session wait for it.
  const sessions = new Map();
  const asks = (name) => Object.hasOwn(LIMITS, name);
  const ask = (name, session, event, options) =>
    askHookline(name, { session, event: asLight(name, plain(event)) }, { cwd: directory, ...options });
  const tell = (notices = []) => {
    for (const message of notices) {
      if (process.argv.includes("run")) console.error(message);
      else client.tui.showToast({ body: { message, variant: "info" } }).catch(() => {});
    }
  };

  const answer = async (name, input, output) => {
    const session = input.sessionID ?? output.messages?.at(-1)?.info?.sessionID;
    if (session === undefined && !REFUSALS[name]) return undefined;
    if (!sessions.has(session)) sessions.set(session, undefined);
    await sessions.get(session);
    const { refuse, changes = [], notices } = await ask(name, session, { input, output });
    for (const change of changes) apply(output, change);
    tell(notices);
    return refuse;
  };

  const hooks = {};
  for (const name of Object.keys(LIMITS)) {
    if (BUS.includes(name) || name === "dispose") continue;
    hooks[name] = async (input, output) => {
      let refuse;
      try {
        refuse = await answer(name, input, output);
      } catch (thrown) {
        // If asking fails, a guarded call is refused; other events go on.
        if (REFUSALS[name]) throw thrown;
      }
      if (refuse !== undefined) throw new Error(refuse);
    };
  }
  hooks.event = async ({ event: { type, properties } }) => {
    const session = properties?.sessionID ?? properties?.info?.id;
    if (!BUS.includes(type) || !asks(type) || session === undefined) return;
    const told = ask(type, session, { type, properties }, { detach: true }).then(
      ({ notices }) => tell(notices),
      () => {},
    );
    if (type === "session.created") sessions.set(session, told);
    await told;
    if (type === "session.deleted") sessions.delete(session);
  };
  hooks.dispose = async () => {
    if (!asks("dispose")) return;
    await Promise.all([...sessions.keys()].map((session) => ask("dispose", session, {}, { detach: true })));
  };
  return hooks;
};

/** Makes one change in place, because OpenCode reads the object that it handed over. */
function apply(output, { at, to, add, before, cut }) {
  const holder = at.slice(0, -1).reduce((value, key) => value[key], output);
  const name = at.at(-1);
  if (cut !== undefined) holder[name].splice(cut, 1);
  else if (add !== undefined) holder[name].splice(before ?? holder[name].length, 0, add);
  else replace(holder, name, to);
}

/** Returns messages without the bytes of pictures and files, which hooks do not see. A call keeps all of its arguments. */
function asLight(name, value) {
  if (name === "tool.execute.before") return value;
  return JSON.parse(
    JSON.stringify(value, function (key, inner) {
      const isFile = key === "url" && this.type === "file" && typeof inner === "string" && inner.startsWith("data:");
      return isFile && inner.length > 1000 ? inner.slice(0, 100) + "…" : inner;
    }),
  );
}
`;
