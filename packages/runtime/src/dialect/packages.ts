export {
  fetchedRoot,
  isPackageSource,
  type PackageFolder,
  type PackageRecord,
  type PackageSource,
  packageFolder,
  packageHashes,
  RECORD_NAME,
  readPackageSource,
} from "./inprocess/package-source.ts";
export { agentDir } from "./pi/modules.ts";
export { type PackageTexts, packageTexts } from "./pi/package-texts.ts";
export { type PackageList, packageLists, packageRoot } from "./pi/packages.ts";
