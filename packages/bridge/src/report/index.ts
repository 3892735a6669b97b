/** The loss report: what of each hook does not work in a host. */
export { type ReportedHook, reportOf } from "./report.ts";
export { ShownReport } from "./shown.ts";
export { countsText, hookLines, shortReport } from "./text.ts";
