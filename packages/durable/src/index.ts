export { durableRun, type DurableRunOptions, type DurableTime } from "./durable-run.ts";
export { createSteps, type Steps, type StepsOptions, type WriteStep } from "./steps.ts";
export { durableTurn } from "./durable-turn.ts";
export { newEvents } from "./kept-log.ts";
export { type EventLog, storeEvents, type StoreEventsOptions } from "./store-events.ts";
