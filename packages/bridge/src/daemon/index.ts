/** The daemon of a folder: the sessions of hosts, and the answers to their calls. */
export { answerCall } from "./answer.ts";
export { Caller } from "./caller.ts";
export { type Looked, Looking } from "./looked.ts";
export { serveBridge } from "./serve.ts";
export { BridgeSession, type OpenParts, type Protection } from "./session.ts";
export { Sessions } from "./sessions.ts";
