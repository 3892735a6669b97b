/** The loss report: what each hook loses in a host. */
export { type ReportedHook, reportOf } from "./report.ts";
export { ShownReport } from "./shown.ts";
export { countsText, hookLines, shortReport } from "./text.ts";
