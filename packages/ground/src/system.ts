/** Code that needs Node, for every package: files, locks, processes, and a command's input and output. */
export { appendLines } from "./file/append.ts";
export { encodeLine } from "./file/json-line.ts";
export { kindAt, lookAt, namesIn, QUIETLY, type Searching, tellFile, textAt, tooManyFolders } from "./file/look.ts";
export { makePrivateDirectory } from "./file/private-directory.ts";
export { realOf } from "./file/real-path.ts";
export {
  type Confirm,
  readRegular,
  readRegularSync,
  readSourceSync,
  readStart,
  writeRegular,
} from "./file/regular-file.ts";
export {
  createFile,
  putNew,
  replaceFile,
  syncDirectory,
  syncDirectoryAside,
  throughTemporary,
} from "./file/replace.ts";
export { rewriteFile } from "./file/rewrite.ts";
export { isInProject, projectOf, type Seeker, trustedFolders } from "./file/search-path.ts";
export { fileId, systemFiles } from "./file/system-files.ts";
export { readText, replaceText } from "./file/text.ts";
export { parse } from "./file/yaml.ts";
export { EXIT, type Io, type ManagedPlace } from "./io/io.ts";
export { jsonText, plainJson } from "./io/plain-json.ts";
export { type Standpoint, shortPath, shortPaths } from "./io/short-path.ts";
export { divertStdout } from "./io/stdout.ts";
export { ms, plain, table } from "./io/table.ts";
export { wrongUse } from "./io/wrong-use.ts";
export { execEnd, exitCode } from "./process/exit.ts";
export { isOwnListener, ownListener } from "./process/listener.ts";
export { describeOwner, type Owner, ownerOf, type Processes, systemProcesses } from "./process/owner.ts";
export { agentsAt, announceAgent, announceHost, presentAgents, presentHosts } from "./process/present.ts";
export { type Process, type ProcessTable, processTable } from "./process/table.ts";
export { exclusively } from "./store/exclusive.ts";
export { claimName, isAlive } from "./store/owner.ts";
export { readPrivate, writePrivate } from "./store/private-file.ts";
export { randomBytes, randomUuid, uuidOf } from "./store/random.ts";
