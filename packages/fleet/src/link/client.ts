/** NATS's client, loaded when a machine first connects. Its names are lost when a bundle imports the package lazily. */
export { connect, createInbox, headers } from "@nats-io/transport-node";
