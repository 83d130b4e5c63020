export type { ServerScope } from "./call-tool.ts";
export { defineServer, type HttpSettings, type ServerDefinition } from "./define-server.ts";
export { createPhaseServer, type PhaseServerOptions } from "./phase-server.ts";
export { type ClientCallContext, withPhases, type PhaseClientOptions } from "./with-phases.ts";
export { contractResources, type PlainResource } from "./plain-resource.ts";
