export { fetchedRoot, type PackageRecord, packageHashes, RECORD_NAME } from "./inprocess/fetched.ts";
export {
  isPackageSource,
  type PackageFolder,
  type PackageSource,
  packageFolder,
  readPackageSource,
} from "./inprocess/package-source.ts";
export { agentDir } from "./pi/modules.ts";
export { type PackageTexts, packageTexts } from "./pi/package-texts.ts";
export { type PackageList, packageLists } from "./pi/packages.ts";
