/**
 * NATS's client for streams, re-exported name by name: a bundler loses the names of a package that is imported lazily.
 */
export { DiscardPolicy, jetstreamManager, StorageType } from "@nats-io/jetstream";
