/** How a tool's repetitions are read: not at all, as polling, or as one batch. */
export type ToolRule = "ignore" | "poll" | "batch";

/** Rules by tool name; they beat what the name or the arguments suggest. */
export type ToolRules = Readonly<Record<string, ToolRule>>;

/** What every detector that reads tool calls takes. */
export interface CallOptions {
  /**
   * Tools with a rule of their own: `ignore` leaves them out, `poll` gives them the tier and the advice for polling,
   * `batch` forgives many calls with one answer.
   */
  readonly tools?: ToolRules;
}

const POLL_NAME = /(?:^|[_.-])(?:poll|polls|status|state|progress|output|wait|logs?|tail|monitor|health|heartbeat)$|^poll|(?:Output|Status|Progress|Poll)$|^(?:check|get)_?(?:job|task|build|run|deploy\w*)/i;
const POLL_ACTION = /^(?:poll|status|wait|log|logs|tail|progress)$/i;
const WAIT_NAME = /(?:^|[_.-])(?:wait|sleep|pause|delay)(?:[_.-]|$)/i;
const SENDING =
  "create|send|post|submit|publish|notify|save|insert|record|register|reply|comment|invite|enqueue|generate|issue|make|fork|clone|spawn|schedule|book|buy|purchase|pay|charge|refund|print|(?:write|add|place|open)[_.-](?:log|entry|note|record|message|comment|order|bid|trade|pull|pr|issue|ticket)";
const MEASURING = /bench|hyperfine|timeit|profil|measur|latency|load[-_ ]?test|speed[-_ ]?test|\b(?:time|perf stat|wrk|ab|k6|iperf3?|ping) /i;
const SENDING_NAME = nameWith(SENDING);
const ACTION_NAME = nameWith(
  `${SENDING}|click|press|type|fill|select|add|update|set|write|edit|delete|remove|move|install|restart|start|stop|kill|apply|commit|push|merge|cancel|modify|reset|deploy|drag|tap|swipe|navigate_back|turn|toggle|switch|lock|unlock`,
);
const ASKING_NAME = /(?:^|[_.-])(?:get|find|search|query|list|read|fetch|look|show|view|describe)|search|query|lookup/i;
/** Tools that go on to the next of something: there a new id is the next one, not noise. */
const STEPPING_NAME = nameWith("next|step|advance|bisect|pop|dequeue|continue|skip");

/** Tools that give the work to somebody else. */
const HANDOVER_NAME = /^(?:transfer|hand_?(?:off|over)|escalate|route)(?:[_.-]?(?:to|back))?(?:[_.-]|$)/i;

/** Matches names with one of these words in them. */
function nameWith(words: string): RegExp {
  return new RegExp(`(?:^|[_.-])(?:${words})(?:[_.-]|$)`, "i");
}

const POLL_COMMAND =
  /^(?:sleep [\d…]+ *(?:&&|;) *)?(?:tail\b[^|;]*(?:log|out|err)\w*|kubectl (?:-\S+ \S+ )*(?:get|logs|rollout)|docker (?:ps|logs)|gh (?:run|pr) (?:view|list|checks|watch)|systemctl status|ps|pgrep|squeue|jobs)\b|^(?:sleep [\d…]+ *(?:&&|;) *)?curl\b.*(?:health|status|progress|\becho (?:down|waiting|not ready))/;

/** Whether a shell command asks how something is getting on. */
export function isPollCommand(command: string): boolean {
  return POLL_COMMAND.test(command);
}

/** Whether a call asks how something is getting on. */
export function isPollName(tool: string, action: string): boolean {
  return POLL_NAME.test(tool) || POLL_ACTION.test(action);
}

/** Whether a tool shortens the agent's memory: reading things again afterwards is no loop. */
export function isCompaction(tool: string): boolean {
  return /compact|condens|summari[sz]e_(?:context|history|conversation)/i.test(tool);
}

/** Whether a tool's name says that it runs commands. */
export function isShellName(tool: string): boolean {
  return /bash|shell|exec|terminal|command/i.test(tool);
}

/** Whether a call only lets time pass. */
export function isWaitName(tool: string): boolean {
  return WAIT_NAME.test(tool);
}

/** Whether a tool's name says that it searches, for tools no interpreter knows. */
export function isSearchName(tool: string): boolean {
  return /search|google|bing|duckduckgo|lookup/i.test(tool);
}

/** Whether a tool's name says that it looks whether something is in order: then nothing found is good news. */
export function isCheckName(tool: string): boolean {
  return /check|scan|valid|verif|lint|audit|probe|ping/i.test(tool);
}

/** Whether a call measures, so that the times in its answer are the answer. */
export function isMeasuring(label: string): boolean {
  return MEASURING.test(label);
}

/** Whether a tool's name says that it makes or sends something and answers with a receipt. */
export function isSendingName(tool: string): boolean {
  return SENDING_NAME.test(tool);
}

/** Whether a tool's name says that it asks something, so that its answer is what counts and no receipt. */
export function isAskingName(tool: string): boolean {
  return ASKING_NAME.test(tool);
}

/** Whether a tool's name says that it gives the work to somebody else, whatever the reason. */
export function isHandover(tool: string): boolean {
  return HANDOVER_NAME.test(tool);
}

/** Whether a tool's name says that it goes on to the next of something. */
export function isSteppingName(tool: string): boolean {
  return STEPPING_NAME.test(tool);
}

/** Whether a tool's name says that it changes something, for tools no interpreter knows. */
export function isActionName(tool: string, action: string): boolean {
  return ACTION_NAME.test(tool.replace(/([a-z])([A-Z])/g, "$1_$2")) || ACTION_NAME.test(action);
}
