// Writes the history that Temporal's server would write: no server runs here, and a replay needs its history only.
import { agentLoop } from "@phasekit/example-durable-agent";
import { countedSteps } from "@phasekit/example-durable-agent/counted-steps";
import { scriptedModel, scriptedTool, verdictOfPerson } from "@phasekit/example-durable-agent/script";

interface HistoryEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly [field: string]: unknown;
}

/** A history, the places where it can be cut, and the log of the run outside of the sandbox. */
export interface RecordedHistory {
  readonly events: readonly HistoryEvent[];
  /** Lengths of the history after each workflow task: the worker may die at any of them. */
  readonly cuts: readonly number[];
  readonly log: string;
}

/** Runs the loop without Temporal and notes its activities and its signal as history events. */
export async function recordHistory(id: string): Promise<RecordedHistory> {
  const events: HistoryEvent[] = [];
  const cuts: number[] = [];
  let log = "";
  let activities = 0;
  const add = (name: string, attributes: object): string => {
    const eventId = String(events.length + 1);
    const type = `EVENT_TYPE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
    const eventTime = new Date(1_700_000_000_000 + 1000 * events.length).toISOString();
    events.push({ eventId, eventTime, eventType: type, taskId: eventId, [`${name}EventAttributes`]: attributes });
    return eventId;
  };
  let task = "";
  const runTask = (): void => {
    const scheduledEventId = add("workflowTaskScheduled", { taskQueue, startToCloseTimeout: "10s", attempt: 1 });
    const startedEventId = add("workflowTaskStarted", { scheduledEventId, requestId: "task" });
    // Every worker of today notes that it compares ids and types of commands; without it, the replay does not.
    const sdkMetadata = { coreUsedFlags: [1, 2, 3] };
    task = add("workflowTaskCompleted", { scheduledEventId, startedEventId, sdkMetadata });
    cuts.push(events.length);
  };
  const activity = <TResult>(name: string, args: readonly unknown[], result: TResult): TResult => {
    activities += 1;
    const scheduledEventId = add("activityTaskScheduled", {
      activityId: String(activities),
      activityType: { name },
      taskQueue,
      input: payloads(...args),
      startToCloseTimeout: "600s",
      workflowTaskCompletedEventId: task,
    });
    const startedEventId = add("activityTaskStarted", { scheduledEventId, requestId: "activity", attempt: 1 });
    add("activityTaskCompleted", { result: payloads(result), scheduledEventId, startedEventId });
    runTask();
    return result;
  };

  add("workflowExecutionStarted", {
    workflowType: { name: "agent" },
    taskQueue,
    input: payloads(id),
    workflowTaskTimeout: "10s",
    originalExecutionRunId: "run",
    firstExecutionRunId: "run",
    attempt: 1,
  });
  runTask();
  await agentLoop({
    id,
    ...countedSteps((_name, work) => work()),
    model: (turn, message) => activity("model", [turn, message], scriptedModel(turn)),
    tool: (turn) => activity("tool", [turn], scriptedTool(turn)),
    waitForPerson: () => {
      add("workflowExecutionSignaled", { signalName: "answerReview", input: payloads(verdictOfPerson) });
      runTask();
      return Promise.resolve(verdictOfPerson);
    },
    store: (stored, after) => {
      log += stored.map((event) => `${JSON.stringify(event)}\n`).join("");
      return Promise.resolve(activity("store", [id, stored, after], stored.at(-1)?.seq ?? after));
    },
  });
  add("workflowExecutionCompleted", { result: payloads(null), workflowTaskCompletedEventId: task });
  return { events, cuts, log };
}

const taskQueue = { name: "agents", kind: "TASK_QUEUE_KIND_NORMAL" };

function payloads(...values: readonly unknown[]): object {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  return {
    payloads: values.map((value) => ({
      metadata: { encoding: encode("json/plain") },
      data: encode(JSON.stringify(value ?? null)),
    })),
  };
}
