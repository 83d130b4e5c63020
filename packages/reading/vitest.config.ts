import { packageTests } from "@phasekit/tooling/vitest";

export default packageTests();
