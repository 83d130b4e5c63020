import { type Blame, type Reason, reasons } from "@phasekit/core";
import { defined, isReason } from "@phasekit/core/adapter";
import { type ErrorDetails, collectErrorDetails } from "./error-details.ts";

/** Advice on a retry: whether to try, how long to wait at least, and why. */
export interface RetryAdvice {
  readonly retry: boolean;
  /** The delay the provider asked for. */
  readonly afterMs?: number;
  readonly why: string;
}

/** The meaning of a thrown value for its run. */
export interface FailureClass {
  readonly reason: Reason;
  readonly blame: Blame;
  readonly countsAgainstModel: boolean;
  readonly retry: RetryAdvice;
  readonly status?: number;
}

/** Options for `classifyFailure()`. */
export interface ClassifyOptions {
  /**
   * Advises to try a call again that was aborted, for hosts whose own timers abort calls. Its reason stays
   * `interrupted`. @default false, an abort was on purpose
   */
  readonly retryAborted?: boolean;
}

interface Rule {
  readonly reason: Reason;
  readonly retry: boolean;
  readonly why: string;
  readonly matches: (details: ErrorDetails) => boolean;
}

const named =
  (...patterns: readonly RegExp[]) =>
  ({ name }: ErrorDetails): boolean =>
    patterns.some((pattern) => pattern.test(name));
const says =
  (...patterns: readonly RegExp[]) =>
  ({ message }: ErrorDetails): boolean =>
    patterns.some((pattern) => pattern.test(message));
const coded =
  (...patterns: readonly RegExp[]) =>
  ({ code, type }: ErrorDetails): boolean =>
    patterns.some((pattern) => pattern.test(code) || pattern.test(type));
const status =
  (...codes: readonly number[]) =>
  (details: ErrorDetails): boolean =>
    details.status !== undefined && codes.includes(details.status);
const any =
  (...tests: readonly ((details: ErrorDetails) => boolean)[]) =>
  (details: ErrorDetails): boolean =>
    tests.some((test) => test(details));

/** Every rule, the first that matches any of the wrapped errors wins. Specific words come before status codes. */
const RULES: readonly Rule[] = [
  // A library's own timer aborts the call inside, so its name comes before any abort it wraps.
  {
    reason: "timeout",
    retry: false,
    why: "The call took longer than its limit.",
    matches: any(named(/^(APIConnectionTimeoutError|TimeoutError)$/), says(/^request timed out\.?$/i)),
  },
  {
    reason: "interrupted",
    retry: false,
    why: "The call was aborted on purpose.",
    matches: any(
      named(/^(AbortError|APIUserAbortError|ModelAbortError)$/),
      coded(/^(ABORT_ERR|UND_ERR_ABORTED|aborted)$/),
      says(/^(request was aborted\.?|this operation was aborted|aborted|the user aborted a request\.?)$/i),
    ),
  },
  {
    reason: "step_limit",
    retry: false,
    why: "The loop around the model reached its limit of turns.",
    matches: any(
      named(/^GraphRecursionError$|^Max(Turns|Steps|Iterations)(Exceeded|Reached)?(Error)?$/),
      coded(/^GRAPH_RECURSION_LIMIT$/),
      says(
        /^recursion limit of \d+ reached|^max(imum)? (turns|steps|iterations) \(?\d+\)? (exceeded|reached)/i,
        /^agent (stopped due to|reached) max(imum)? iterations?/i,
      ),
    ),
  },
  {
    reason: "context_overflow",
    retry: false,
    why: "The same conversation will not fit the next time either; shorten it.",
    matches: any(
      coded(/^(context_length_exceeded|CONTEXT_OVERFLOW|string_above_max_length)$/),
      named(/^ContextOverflowError$/),
      says(
        /maximum context length|context[ _]window|prompt is too long|input is too long/i,
        /exceeds? the (model'?s )?context|too many tokens in (the )?(prompt|request)/i,
      ),
    ),
  },
  {
    reason: "content_filtered",
    retry: false,
    why: "The provider will withhold the same answer again.",
    matches: any(
      coded(/^(content_filter|content_policy_violation|ContentFilterFinishReasonError)$/),
      named(/ContentFilter/),
      says(/content (management )?policy|content filter|flagged by (our )?moderation|blocked by (the )?safety/i),
    ),
  },
  {
    reason: "validation_giveup",
    retry: false,
    why: "The model did not produce arguments that validate, after all its tries.",
    matches: any(
      named(
        /^(AI_)?(TypeValidationError|NoObjectGeneratedError|ToolCallRepairError)$/,
        /^(AI_)?(InvalidToolInputError|InvalidToolArgumentsError)$/,
        /^(OutputParserException|OutputParsingException|ToolInputParsingException|ZodError)$/,
        /^StructuredOutputParsingError$/,
      ),
      coded(/^(OUTPUT_PARSING_FAILURE|tool_argument_validation_exhausted|INVALID_TOOL_RESULTS)$/),
      says(
        /did not match (the )?expected schema/i,
        /(arguments?|input) (do(es)? not|did not|failed to) (satisfy|validate|match)/i,
      ),
    ),
  },
  {
    reason: "function_call_failed",
    retry: false,
    why: "The model did not make the tool call it owed.",
    matches: any(
      named(
        /^(AI_)?(NoSuchToolError|NoOutputGeneratedError|NoOutputSpecifiedError|MissingToolCallError)$/,
        /^FunctionCallFailedError$/,
      ),
      says(
        /(failed|did not|didn't|refused) (to )?(make|emit|produce) (a |the |any )?(required )?(tool|function)/i,
        /(failed|did not|didn't|refused) (to )?(call|invoke) (a |the |any )?(required )?(tool|function)/i,
        /no (tool|function) call (was )?(made|found|emitted|generated)|failed to function.?call/i,
      ),
    ),
  },
  {
    reason: "rate_limit",
    retry: false,
    why: "The quota is used up; waiting does not bring it back soon.",
    matches: any(
      coded(
        /^(insufficient_quota|billing_hard_limit_reached|billing_not_active|quota_exceeded)$/,
        /^(insufficient_credits|billing_error)$/,
      ),
      says(
        /key limit exceeded|exceeded your current quota|insufficient (credits|quota|balance)/i,
        /credit balance is too low|out of credits/i,
      ),
      status(402),
    ),
  },
  {
    reason: "unknown",
    retry: false,
    why: "The provider did not accept the key or the account.",
    matches: any(
      status(401),
      coded(
        /^(invalid_api_key|authentication_error|permission_error|account_deactivated)$/,
        /^(unsupported_country_region_territory|MODEL_AUTHENTICATION)$/,
      ),
    ),
  },
  {
    reason: "rate_limit",
    retry: true,
    why: "The provider asks to slow down.",
    matches: any(
      status(429),
      coded(
        /^(rate_limit_exceeded|rate_limit_error|tokens|requests|MODEL_RATE_LIMIT|RESOURCE_EXHAUSTED)$/i,
        /^(ThrottlingException|too_many_requests)$/i,
      ),
      says(/rate.?limit(ed)?\b|too many requests/i),
    ),
  },
  { reason: "rate_limit", retry: false, why: "The provider refuses this key.", matches: status(403) },
  {
    reason: "upstream_unhealthy",
    retry: true,
    why: "The provider had an error of its own.",
    matches: any(
      ({ status: code }) => code !== undefined && code >= 500 && code < 600,
      coded(
        /^(server_error|internal_server_error|api_error|overloaded_error|service_unavailable)$/,
        /^(internal_error|UNAVAILABLE|INTERNAL)$/,
      ),
      named(/^InternalServerError$/),
      says(/^overloaded|bad gateway|service unavailable|upstream (error|connect)|provider returned error/i),
    ),
  },
  {
    reason: "connection_error",
    retry: true,
    why: "The connection failed before there was an answer.",
    matches: coded(
      /^(ENOTFOUND|ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|EAI_AGAIN|ENETUNREACH|ENETDOWN|EHOSTUNREACH)$/,
      /^(ETIMEDOUT|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/,
      /^(ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP2_STREAM_ERROR)$/,
    ),
  },
  {
    reason: "timeout",
    retry: false,
    why: "The call took longer than its limit.",
    matches: any(
      named(/Timeout(Error|Exception)?$|TimedOut/),
      coded(/^(UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|ESOCKETTIMEDOUT|TIMEOUT_ERR|ERR_TIMEOUT|timeout)$/),
      status(408),
      says(
        /^request timed out\.?$|operation was aborted due to timeout|timed? ?out (after|waiting)|deadline exceeded/i,
      ),
    ),
  },
  {
    reason: "connection_error",
    retry: true,
    why: "The connection failed before there was an answer.",
    matches: any(
      named(/^(APIConnectionError|ConnectionError|FetchError|SocketError)$/),
      says(
        /^(connection error\.?|fetch failed|network error|terminated|failed to fetch)/i,
        /^(socket hang up|other side closed|premature close)/i,
        /getaddrinfo|cannot connect to api|connect ECONN|read ECONN|socket connection was closed|ECONNRESET/i,
        /ENOTFOUND|EAI_AGAIN/i,
      ),
    ),
  },
  {
    reason: "connection_error",
    retry: true,
    why: "The answer was cut off.",
    matches: ({ name, message }) =>
      (name === "SyntaxError" || /invalid json response|json/i.test(message)) &&
      /unexpected end of (json|input|data)|unterminated string in json/i.test(message),
  },
];

const FALLBACK: Omit<Rule, "matches"> = { reason: "unknown", retry: false, why: "The error fits no known kind." };

/**
 * Reads any thrown value: errors of OpenAI, Anthropic, the AI SDK, LangChain, undici and OpenRouter, strings, bodies of
 * answers, nested causes and aggregates. Never throws.
 *
 * @example
 * await trackRun(run, work, { classify: (error) => classifyFailure(error).reason });
 */
export function classifyFailure(error: unknown, { retryAborted = false }: ClassifyOptions = {}): FailureClass {
  const details = collectErrorDetails(error);
  const given = reasonIn(details);
  const found = given ? { reason: given, retry: false, why: reasons[given].text } : ruleFor(details);
  const rule =
    retryAborted && given === undefined && found.reason === "interrupted"
      ? { ...found, retry: true, why: "The call was aborted, and aborted calls are tried again." }
      : found;
  const code = details.map(({ status: found }) => found).find((found) => found !== undefined);
  const afterMs = rule.retry ? retryAfter(details) : undefined;
  const { blame, countsAgainstModel } = reasons[rule.reason];
  return defined({
    reason: rule.reason,
    blame,
    countsAgainstModel,
    retry: defined({ retry: rule.retry, afterMs, why: rule.why }),
    status: code,
  });
}

/** The reason of `classifyFailure()` alone. A bundle that needs no more leaves out what explains the reasons. */
export function reasonOfFailure(error: unknown): Reason {
  const details = collectErrorDetails(error);
  return reasonIn(details) ?? ruleFor(details).reason;
}

/** The reason an error brings along. */
function reasonIn(details: readonly ErrorDetails[]): Reason | undefined {
  return details.map(({ reason }) => reason).find(isReason);
}

function ruleFor(details: readonly ErrorDetails[]): Omit<Rule, "matches"> {
  return RULES.find(({ matches }) => details.some(matches)) ?? FALLBACK;
}

const MAX_WAIT = 3_600_000;

function retryAfter(details: readonly ErrorDetails[]): number | undefined {
  for (const { header } of details) {
    const exact = Number(header("retry-after-ms") ?? Number.NaN);
    if (exact >= 0) return Math.min(exact, MAX_WAIT);
    // A date would need a clock; seconds are what providers send.
    const seconds = Number(header("retry-after") ?? Number.NaN);
    if (seconds >= 0) return Math.min(seconds * 1000, MAX_WAIT);
  }
  return undefined;
}
