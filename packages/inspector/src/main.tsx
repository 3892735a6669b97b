import { render } from "preact";
import "./style.css";
import type { ExportedApi } from "../../hookline/src/inspect/api.ts";
import { exportApi, serverApi } from "./data/api.ts";
import { takeToken } from "./data/token.ts";
import { followAddress } from "./state/address.ts";
import { openPage } from "./state/page.ts";
import { Page } from "./view/page.tsx";

declare global {
  /** The data of an exported page, which has no server to ask. */
  var hooklineExport: ExportedApi | undefined;
}

const place = document.getElementById("page");
if (place === null) throw new Error("The page has no place to be drawn in.");
const exported = globalThis.hooklineExport;
const api = exported === undefined ? serverApi(takeToken()) : exportApi(exported);
// If the user pastes an address with a token into this tab, only the hash changes, so the page must be reloaded.
addEventListener("hashchange", () => location.hash.startsWith("#t=") && location.reload());
followAddress();
// Not awaited: the first requests run while the page is drawn.
void openPage(api);
place.replaceChildren();
render(<Page />, place);
