export { type DurableLoop, expectDeterministic } from "./expect-deterministic.ts";
