import type { Lacking } from "../../../in-process/stub.ts";

/** Lists exports of omp's `extensions` 18.2.3 that hookline lacks. Using one throws an error with its key as advice. */
export const LACKING: Lacking = {
  "hookline loads hooks itself; `hookline hooks` says which. Give others with `-e`.": `EXTENSION_HANDLER_TIMEOUT_MS
    ExtensionRunner ExtensionRuntimeNotInitializedError ExtensionToolWrapper RegisteredToolAdapter
    SESSION_SHUTDOWN_HANDLER_TIMEOUT_MS bindPreparedExtensions discoverAndLoadExtensions discoverExtensionPaths
    emitSessionShutdownEvent extensionToolSourceInfo getExtensionUISelectOptionLabel loadExtensionFromFactory
    loadExtensions testSetExtensionHandlerTimeoutMs testSetSessionShutdownHandlerTimeoutMs wrapRegisteredTool
    wrapRegisteredTools`,
};
