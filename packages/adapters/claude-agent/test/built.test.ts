import { describeBuiltPackage } from "@phasekit/tooling/built-package";

describeBuiltPackage(`${import.meta.dirname}/..`);
