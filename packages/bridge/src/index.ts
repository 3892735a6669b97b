/** The bridge, which asks hookline's hooks from inside other agents: its client, its installation, its daemons. */
export { askDaemon, type BridgeRequest, GRACE_MS, MOST_INPUT, startDaemon } from "./client/client.ts";
export { type NativeAnswer, SILENCE } from "./client/native-answer.ts";
export { Away, clockOf, daemonPlace, goesOn, notReachable, pausedUntil, realOf, runFolder } from "./client/place.ts";
export { daemonAt, daemonsIn, daemonsOfHome, endDaemon, type FoundDaemon } from "./daemon/daemons.ts";
export { type Moved, movedIn, movedLine, movedLines } from "./daemon/drift.ts";
export { beginPause, endPause, pauseRefusal, pauseSays, pauseState } from "./daemon/pause.ts";
export type { AdapterFormat, At, Entry, HostAdapter, Need, Scope } from "./host/adapter.ts";
export { allowedEnvironment, allowedNames } from "./host/environment.ts";
export { type BridgeHost, type HostHooks, placesIn } from "./host/host.ts";
export { programVersion } from "./host/program-version.ts";
export { configuredServers } from "./host/servers.ts";
export { additionTo, carryOut, type FileChange, removalFrom } from "./install/change.ts";
export { commandOf } from "./install/command.ts";
export { hooksOff } from "./install/hooks-off.ts";
export { type Doubled, doubledIn, installedIn, isOneFile, sharedHooks } from "./install/installed.ts";
export { clientOf, clientSays, placeLauncher, refreshLauncher } from "./install/launcher.ts";
export { CLIENT, isOwnCommand, withoutAdapters } from "./install/own-entries.ts";
