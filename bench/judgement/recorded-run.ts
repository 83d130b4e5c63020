/** A call of the agent with its result. */
export interface RecordedTool {
  readonly type: "tool";
  readonly name: string;
  readonly args: unknown;
  readonly ok?: boolean;
  readonly output: string;
  readonly agent?: string;
  /** "user" marks a step that a person took before the agent began. */
  readonly by?: string;
}

/** A text of the agent. */
interface RecordedText {
  readonly type: "text";
  readonly text: string;
  readonly agent?: string;
  readonly by?: string;
}

/** A text of the user; the first one is the task. */
interface RecordedRequest {
  readonly type: "user";
  readonly text: string;
  readonly agent?: string;
  readonly by?: string;
}

export type RecordedEvent = RecordedTool | RecordedText | RecordedRequest;

/** Labels that came with the run. Every set has its own; these are the ones the tables read. */
interface RunLabel {
  readonly model?: string;
  readonly agent?: string;
  readonly ok_source?: string;
  /** True if `categories` has one entry per call. */
  readonly aligned?: boolean;
  readonly categories?: readonly string[];
  /** Entry i relates call i + 1 to call i. */
  readonly action_action?: readonly (string | null)[];
  readonly failure_modes?: readonly string[];
  readonly errors?: readonly { readonly category: string }[];
}

/** A recorded run in the neutral form: one line of a set. */
export interface RecordedRun {
  readonly id: string;
  readonly set: string;
  readonly outcome: "success" | "failure" | "partial" | "unknown";
  readonly label?: RunLabel;
  readonly events: readonly RecordedEvent[];
}
