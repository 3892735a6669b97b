export { type OwnList, type PackageAt, packageGuards } from "../in-process/own-packages.ts";
export {
  fetchedRoot,
  isPackageSource,
  type PackageFolder,
  type PackageRecord,
  type PackageSource,
  packageFolder,
  packageHashes,
  packageRecord,
  RECORD_NAME,
  readPackageSource,
} from "../in-process/package-source.ts";
export { agentDir } from "./hooks/modules.ts";
export { type PackageTexts, packageTexts } from "./hooks/package-texts.ts";
export { type PackageList, packageLists, packageModules } from "./hooks/packages.ts";
