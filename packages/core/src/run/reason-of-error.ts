import { errorToShape } from "../text/error-shape.ts";
import { isAbort } from "../text/is-abort.ts";
import type { Reason } from "../events/reason-codes.ts";

/**
 * The reason a thrown value gives for the end of a run, by its name, status and code and those of its causes. What
 * libraries only say in words is for a `classify` of the host's own, such as the ledger's `classifyFailure`.
 */
export function reasonOfError(error: unknown): Reason {
  if (isAbort(error)) return "interrupted";
  const { causes = [], ...shape } = errorToShape(error);
  for (const { name = "", status = 0, code = "" } of [shape, ...causes]) {
    // The code of a `model.failed` for a call the host gave up.
    if (code === "aborted") return "interrupted";
    // The code of a `model.failed` for an answer the library rejected because it was cut off.
    if (code === "incomplete") return "answer_truncated";
    if (/Timeout(Error)?$/.test(name)) return "timeout";
    // A loop of a framework has a limit of its own: LangGraph's steps, the turns of an agents SDK.
    if (/^GraphRecursionError$|^Max(Turns|Steps|Iterations)(Exceeded|Reached)?(Error)?$/.test(name))
      return "step_limit";
    // The agents SDK throws what its guardrails and its models refuse.
    if (name.endsWith("GuardrailTripwireTriggered")) return "policy_stop";
    if (name === "ModelRefusalError") return "content_filtered";
    if (status === 429 || status === 402 || status === 403) return "rate_limit";
    if (status >= 500) return "upstream_unhealthy";
    if (/^E[A-Z]+$|^UND_ERR_/.test(code) && /CONN|NOTFOUND|AGAIN|NET|HOST|PIPE|TIMEDOUT|SOCKET|CLOSED/.test(code))
      return "connection_error";
  }
  return "unknown";
}
