import { messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import type { FullMoment } from "../../inspect/passing.ts";
import type { RunningSession } from "../../inspect/running.ts";
import type { Assembled } from "../../start/assemble.ts";
import type { ActivityLog, LoggedDispatch } from "../../tui/panel/activity-log.ts";

/** What `/inspect` needs. */
export interface InspectParts {
  /** The activity that the panel remembers. */
  readonly activity: ActivityLog;
  readonly env: Io["env"];
  tell(text: string): void;
}

/** Adds `/inspect` to the agent. Returns a function that ends its server. */
export function addInspect(assembled: Assembled, parts: InspectParts): () => void {
  let shown: Promise<Shown> | undefined;
  const { agent } = assembled;
  const undo = agent.listen(({ type }) => {
    if (type === "session_changed") void shown?.then(({ goOn }) => goOn()).catch(() => {});
  });
  agent.commands.set("inspect", {
    name: "inspect",
    description: "record everything from now on, and show the session in your browser",
    async run() {
      shown ??= show(assembled, parts);
      try {
        return (await shown).show();
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
  /** Opens the page; says where, and what is recorded. */
  show(): string;
  /** Goes on with the session that the agent has now. */
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
  let { path, hasBegun } = await recording.recordAll(hooks, agent.core.scene.sessionId);
  const current = (): Omit<RunningSession, "before"> => {
    const { scene, store } = agent.core;
    const title = store.getSessionName() ?? "this session";
    return { session: scene.sessionId, title, sessionFile: store.getSessionFile(), path };
  };
  const before = hasBegun ? parts.activity.latest().toReversed().map(momentOf) : [];
  const files = new PlaceFiles(place);
  const others = new FileList({ find: () => files.find(), breathe });
  const list = new RunningList({ ...current(), before }, { cwd: place.cwd, others, breathe });
  const { env, tell } = parts;
  const inspector = await startInspector({ list, port: 0, env, tell });
  return {
    show() {
      const recorded = hasBegun
        ? "Everything is recorded from now on, for the rest of this session; earlier moments are shown without payloads."
        : "Everything is already being recorded.";
      hasBegun = false;
      const opened = inspector.show()
        ? "The inspector opens in your browser:"
        : "Open the inspector in a browser on this machine:";
      return `${recorded}\nThe recording is ${path}\n${opened}\n${inspector.url}`;
    },
    async goOn() {
      ({ path } = await recording.recordAll(hooks, agent.core.scene.sessionId));
      list.goOn({ ...current(), before: [] });
    },
    async close() {
      await inspector.close();
      list.close();
      await others.close();
    },
  };
}

/** A dispatch that the panel remembers; it has no payload. */
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
