export { JSON_LIMITS, type JsonReading, readJson } from "../lens/json.ts";
