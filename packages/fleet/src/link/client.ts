/**
 * NATS's client, which is loaded when a machine first connects. It is re-exported name by name, since a bundler loses
 * the names of a package that is imported lazily.
 */
export { connect, createInbox, headers } from "@nats-io/transport-node";
