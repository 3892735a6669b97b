import type { Lacking } from "../../../in-process/stub.ts";

/**
 * Exports of omp's `pi-coding-agent/extensibility/extensions` 18.2.3 that hookline does not have. Each key says what to
 * use instead.
 */
export const LACKING: Lacking = {
  "hookline loads hooks itself; `hookline hooks` says which. Give others with `-e`.": `EXTENSION_HANDLER_TIMEOUT_MS
    ExtensionRunner ExtensionRuntimeNotInitializedError ExtensionToolWrapper RegisteredToolAdapter
    SESSION_SHUTDOWN_HANDLER_TIMEOUT_MS bindPreparedExtensions discoverAndLoadExtensions discoverExtensionPaths
    emitSessionShutdownEvent extensionToolSourceInfo getExtensionUISelectOptionLabel loadExtensionFromFactory
    loadExtensions testSetExtensionHandlerTimeoutMs testSetSessionShutdownHandlerTimeoutMs wrapRegisteredTool
    wrapRegisteredTools`,
};
