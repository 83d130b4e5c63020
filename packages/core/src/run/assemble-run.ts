import { createChildren } from "./children.ts";
import { DEFAULT_CLIP } from "../text/clip.ts";
import { createCommands } from "./commands.ts";
import { createDelivery } from "./deliver-steps.ts";
import { calledFromPolicy, invalidOption, notStorable } from "../errors.ts";
import { createEventQueue, type EventQueue } from "./event-queue.ts";
import type { HostEvent, IngestFault, RunEvent } from "../events/run-event.ts";
import { checkEvent } from "../ingest/check-event.ts";
import { isEventOf } from "../ingest/event-type.ts";
import type { IngestContext } from "../ingest/ingest-context.ts";
import { ingestEvent, ingestOwn, ingestRejection } from "../ingest/ingest-event.ts";
import { createSafeClock } from "../ingest/safe-clock.ts";
import type { Interpreter } from "../ingest/interpreter.ts";
import { readMembers } from "../text/json.ts";
import { ownGraph } from "../graph/own-graph.ts";
import type { PhaseGraph } from "../graph/phase-graph.ts";
import { planPolicies } from "../step/policy-plan.ts";
import { createReporter } from "./report-error.ts";
import type { Run, RunOptions } from "./run.ts";
import { assertObject, assertOptions, interpretersOf } from "./run-options.ts";
import type { Limits } from "../view/run-view.ts";
import { createStepper, type Stepper } from "../step/step.ts";
import { readSnapshot, takeSnapshot } from "./snapshot-run.ts";
import { systemClock } from "./system-clock.ts";
import { createTextStreams } from "../ingest/text-streams.ts";
import { ViewState } from "../view/view-state.ts";

/** A run with the parts that replay and simulation work on. */
export interface AssembledRun<TPhase extends string> {
  readonly run: Run<TPhase>;
  readonly stepper: Stepper;
  readonly interpreters: readonly Interpreter[];
}

/** The graph of a run that was given none. */
export const WORKING: PhaseGraph = {
  name: "working",
  initial: "working",
  phases: { working: { next: [], final: true } },
};

/**
 * Wires the parts of a run together. One event goes through them in this order: `event-queue.ts`,
 * `ingest/ingest-event.ts`, `step.ts`, `deliver-steps.ts`. With `stored`, the run continues that header instead of
 * starting a log of its own.
 */
export function assembleRun<TPhase extends string>(
  options: RunOptions<TPhase>,
  { stored, inherited }: { readonly stored?: HostEvent<"run.started">; readonly inherited?: Limits } = {},
): AssembledRun<TPhase> {
  const settings = readSettings(options, { stored, inherited });
  const { folder, createId, classify, onError } = options;
  const { id, mode, graph, saved, limits, plan, interpreters, redact, clip, report } = settings;
  const view = new ViewState({ id, graph: ownGraph(graph), mode });
  saved?.restoreView(view);
  const { sinceProgress = 3, inAll = 6 } = options.maxVetoes ?? {};
  const stepper = createStepper({ view, plan, nudges: options.nudges ?? {}, maxVetoes: { sinceProgress, inAll } });
  const parts = { view, policies: plan.parts, states: stepper.parts, interpreters };
  saved?.restoreParts(parts);
  const streams = createTextStreams(plan.watching, {
    mayStop: (policy) => stepper.acts(policy, "gate"),
    isDisabled: (policy) => view.disabled.has(policy),
  });
  const faults: IngestFault[] = [];
  const clock = createSafeClock(settings.clock, { view, faults });
  const ingest = { view, interpreters, redact, clip, clock, closeStream: streams.close, faults, report };
  const queue = createEventQueue({
    handle: (input) => steps.take(input),
    refuse: (input, recorder) => {
      steps.refuse(input, recorder);
    },
    isDisabled: (recorder) => view.disabled.has(recorder),
    report,
  });
  const isNew = stored === undefined && saved === undefined;
  const delivery = createDelivery(queue, { keepsBacklog: isNew, report });
  const record = queue.push;
  const children = createChildren({
    view,
    inherited: { mode, folder, redact, clip, clock: settings.clock, createId, classify, onError },
    record,
    assemble: (childOptions, limits) => assembleRun(childOptions, { inherited: limits }).run,
  });
  const commands = createCommands({
    view,
    record,
    isDeciding: queue.isHeld,
    clock,
    wakeAt: stepper.wakeAt,
    classify,
    policies: plan.parts,
    limits: plan.limits,
    isReadBack: stored !== undefined,
  });

  const steps = createSteps({
    queue,
    ingest,
    stepper,
    deliver: (step) => {
      delivery.deliver(step);
      if (view.stopped !== undefined || view.status === "ended") children.stopAll();
    },
  });
  if (isNew) steps.start(headerOf(options, settings));
  const run: Run = {
    id,
    mode,
    view: stepper.run,
    get outcome() {
      return view.outcome;
    },
    get wakeAt() {
      return stepper.wakeAt();
    },
    record: (event) => !isEventOf(event, "run.started") && record(event),
    text: streams.push,
    child: children.start,
    snapshot: () => {
      if (queue.isHeld()) throw calledFromPolicy("snapshot");
      if (streams.isOpen()) throw notStorable("the agent", "a message is being streamed");
      if (children.areRunning()) throw notStorable("the agent", "a sub-agent is working");
      return takeSnapshot({ ...parts, inherited: limits });
    },
    subscribe: delivery.subscribe,
    ...commands,
  };
  return { run, stepper, interpreters };
}

type Settings = ReturnType<typeof readSettings>;

/** The options with their defaults, and what a stored header or a snapshot says. */
function readSettings<TPhase extends string>(
  options: RunOptions<TPhase>,
  {
    stored,
    inherited,
  }: { readonly stored: HostEvent<"run.started"> | undefined; readonly inherited: Limits | undefined },
) {
  assertObject(options, "options");
  const graph = options.graph ?? WORKING;
  const saved = options.from === undefined ? undefined : readSnapshot(options.from);
  const mode = options.mode ?? stored?.mode ?? saved?.mode ?? "nudge";
  const clock = options.clock ?? systemClock;
  const id = options.id ?? stored?.run ?? saved?.run ?? (options.createId ?? randomId)();
  // The header of a child that is read back says which limits it inherited.
  const limits = inherited ?? saved?.limits ?? (stored?.parent === undefined ? undefined : stored.limits);
  const plan = planPolicies(options.policies, graph, limits ?? {});
  assertOptions({ mode, id });
  const interpreters = interpretersOf(options);
  const clip = { ...DEFAULT_CLIP, ...readMembers(options.clip) };
  const report = createReporter(options.onError);
  return { graph, saved, mode, clock, id, limits, plan, interpreters, clip, redact: options.redact, report };
}

/** The first event of a run. */
function headerOf<TPhase extends string>(
  { task, item, folder, parent }: RunOptions<TPhase>,
  { id, graph, mode, plan, interpreters }: Settings,
): object {
  return {
    type: "run.started",
    run: id,
    graph: graph.name,
    phase: graph.initial,
    mode,
    attempt: 1,
    task,
    item,
    folder,
    parent,
    policies: plan.parts,
    interpreters: interpreters.map(({ name, version }) => ({ name, version })),
    limits: Object.keys(plan.limits).length === 0 ? undefined : plan.limits,
  };
}

/** Takes events, from the host's input to the subscribers. */
function createSteps({
  queue,
  ingest,
  stepper,
  deliver,
}: {
  readonly queue: Pick<EventQueue, "hold">;
  readonly ingest: IngestContext;
  readonly stepper: Stepper;
  readonly deliver: (step: readonly RunEvent[]) => void;
}) {
  return {
    take: (input: unknown): boolean => {
      let accepted = false;
      const step = queue.hold(() => {
        const result = ingestEvent(input, ingest);
        accepted = result.accepted;
        return result.event === undefined ? undefined : stepper.step(result.event);
      });
      if (step !== undefined) deliver(step);
      return accepted;
    },
    refuse: (input: unknown, recorder: string): void => {
      const message = "it records events without end from inside an event";
      ingest.faults.push({ name: recorder, during: "record", message });
      const step = queue.hold(() => {
        const event = ingestRejection(input, [{ path: "", message }], ingest);
        return event === undefined ? undefined : stepper.step(event);
      });
      if (step !== undefined) deliver(step);
    },
    start: (header: object): void => {
      const event = queue.hold(() => ingestOwn(header, ingest));
      if (event === undefined) {
        const [issue] = checkEvent(header);
        throw issue === undefined
          ? invalidOption("redact", "it takes away what a run needs to start")
          : invalidOption(issue.path, issue.message);
      }
      deliver(queue.hold(() => stepper.step(event)));
    },
  };
}

// With the clock, the only default that reaches outside; everything else gets its time and ids passed in.
function randomId(): string {
  // eslint-disable-next-line no-restricted-properties -- the default id
  const random = Math.floor(Math.random() * 0x1_0000_0000);
  return `run-${systemClock().toString(36)}-${random.toString(36).padStart(7, "0")}`;
}
