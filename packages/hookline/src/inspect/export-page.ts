import { DATA_ID, type ExportedData, exportedApi } from "./exported.ts";

/** This script runs in the page of an export, before the page's own script. */
const data = document.getElementById(DATA_ID)?.textContent ?? "";
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
Object.assign(globalThis, { hooklineExport: exportedApi(JSON.parse(data) as ExportedData, breathe) });
