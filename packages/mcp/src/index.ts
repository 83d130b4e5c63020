export type { Binding } from "./call-tool.ts";
export { defineServer, type HttpSettings, type ServerDefinition } from "./define-server.ts";
export { createPhaseServer, type PhaseServerOptions } from "./phase-server.ts";
export { type ClientCallContext, phasedClient, type PhasedClientOptions } from "./phased-client.ts";
export { contractResources, type PlainResource } from "./plain-resource.ts";
