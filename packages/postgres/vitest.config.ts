import { packageTests } from "@phasekit/tooling/vitest";

export default packageTests({ globalSetup: ["src/__fixtures__/start-server.ts"] });
