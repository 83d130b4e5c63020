export type { Lexicon } from "./answers/lexicon.ts";
export { deliveryInterpreter } from "./delivery/delivery-interpreter.ts";
export { expectations } from "./expectations.ts";
export { reading, type ReadingOptions } from "./reading.ts";
export { readShell, type ShellReading } from "./shell/read-shell.ts";
export { readTestOutput, type TestReading, type TestRun } from "./tests/read-test-output.ts";
