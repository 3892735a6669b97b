/** The loss report: which hooks do not work in a host as they do in hookline, and why. */
export { type ReportedHook, reportOf } from "./report.ts";
export { ShownReport } from "./shown.ts";
export { countsText, hookLines, shortReport } from "./text.ts";
