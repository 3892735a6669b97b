/** The client for streams. Its names are lost when a bundle imports the package lazily. */
export { DiscardPolicy, jetstreamManager, StorageType } from "@nats-io/jetstream";
