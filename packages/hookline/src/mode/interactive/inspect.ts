import { messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import type { FullMoment } from "../../inspect/moment-file.ts";
import type { RunningSession } from "../../inspect/running.ts";
import type { Assembled } from "../../start/assemble.ts";
import type { ActivityLog, LoggedDispatch } from "../../tui/panel/activity-log.ts";

/** The dispatches, the environment and the function for messages to the person that `/inspect` uses. */
export interface InspectParts {
  /** The dispatches that the hook panel shows. */
  readonly activity: ActivityLog;
  readonly env: Io["env"];
  tell(text: string): void;
}

/** Adds the command `/inspect` to the agent. Returns a function that ends the inspector's server. */
export function addInspect(assembled: Assembled, parts: InspectParts): () => void {
  let shown: Promise<Shown> | undefined;
  const { agent } = assembled;
  const undo = agent.listen(({ type }) => {
    if (type === "session_changed") void shown?.then(({ goOn }) => goOn()).catch(() => {});
  });
  agent.commands.set("inspect", {
    name: "inspect",
    description: "show the session in your browser; with `record`, everything is recorded from now on",
    async run(word) {
      shown ??= show(assembled, parts);
      try {
        const { open, record } = await shown;
        return await (word.trim() === "record" ? record() : open());
      } catch (thrown) {
        shown = undefined;
        return `The inspector could not be started: ${messageOf(thrown)}`;
      }
    },
  });
  return () => {
    undo();
    void shown?.then(({ close }) => close()).catch(() => {});
  };
}

interface Shown {
  /** Opens the inspector's page. Returns a text for the person: the page's address, and how much is recorded. */
  open(): Promise<string>;
  /** Records all events with their payloads from now on. Returns a text for the person with the recording's path. */
  record(): Promise<string>;
  /** Shows the agent's current session on the inspector's page. Must be called after a change of the session. */
  goOn(): Promise<void>;
  close(): Promise<void>;
}

async function show({ agent, place, recording, hooks }: Assembled, parts: InspectParts): Promise<Shown> {
  const [{ FileList }, { PlaceFiles }, { breathe, startInspector }, { RunningList }] = await Promise.all([
    import("../../inspect/file-list.ts"),
    import("../../inspect/place-files.ts"),
    import("../../inspect/run.ts"),
    import("../../inspect/running.ts"),
  ]);
  const { activity, env, tell } = parts;
  const at = () => recording.at(agent.core.scene.sessionId);
  let { path, level } = await at();
  let remembered: FullMoment[] = [];
  let seen = 0;
  // While no recording is written, collects the hook panel's dispatches for the inspector's page.
  const remember = (): void => {
    const fresh = activity.latest().filter(({ number }) => number > seen);
    seen = activity.count;
    if (level === undefined) remembered.push(...fresh.toReversed().map(momentOf));
  };
  const current = (): RunningSession => {
    const { scene, store } = agent.core;
    const title = store.getSessionName() ?? "this session";
    const shown = { session: scene.sessionId, title, sessionFile: store.getSessionFile(), path, before: remembered };
    return { ...shown, level: () => level };
  };
  remember();
  const forget = activity.listen(remember);
  const files = new PlaceFiles(place);
  const others = new FileList({ find: () => files.find(), breathe });
  const list = new RunningList(current(), { cwd: place.cwd, others, breathe });
  const inspector = await startInspector({ list, port: 0, env, tell });
  return {
    async open() {
      const opened = inspector.show()
        ? "The inspector opens in your browser:"
        : "Open the inspector in a browser on this machine:";
      const recorded =
        level === "all"
          ? `Everything is being recorded in ${path}`
          : `${level === undefined ? "Nothing is recorded, so payloads are not shown" : "Some of it is recorded"}. \`/inspect record\` records everything from now on.`;
      return `${opened}\n${inspector.url}\n${recorded}`;
    },
    async record() {
      if (level === "all") return `Everything is already being recorded in ${path}`;
      await recording.recordAll(hooks);
      ({ path, level } = await at());
      return `Everything is recorded from now on, for the rest of this session; earlier moments are shown as they are.\nThe recording is ${path}\n\`/inspect\` shows it in your browser.`;
    },
    async goOn() {
      ({ path, level } = await at());
      remembered = [];
      list.goOn(current());
    },
    async close() {
      forget();
      await inspector.close();
      list.close();
      await others.close();
    },
  };
}

/** Converts a dispatch of the hook panel to the inspector's format. The result has no payload and an empty scene. */
function momentOf({ t, event, ms, decided, runs, edits, diagnostics }: LoggedDispatch): FullMoment {
  return {
    t,
    event,
    scene: {},
    hooks: runs.map(
      ({ pass, status, ...run }) => ({ ...run, pass: pass === 2 ? 2 : 1, status }) as FullMoment["hooks"][number],
    ),
    edits: edits.map((edit) => ({ ...edit, pass: 1 })),
    outcome: decided,
    diagnostics,
    ms,
  };
}
