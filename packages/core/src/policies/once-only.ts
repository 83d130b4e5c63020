import { refuse } from "./decision.ts";
import { definePolicy, type Policy } from "./policy.ts";
import { callWorked } from "../account/call.ts";
import { addRecent, isRecent, type Recent } from "../text/bounded.ts";
import { quote } from "../text/quote.ts";

const MAX_CALLS = 1000;

/**
 * Refuses, in mode `gate`, to make a call again that worked and cannot be taken back: the same refund twice. Needs an
 * interpreter that says so, see `describeTools`. A user message makes the same call possible again.
 *
 * @example
 * createRun({ interpret: describeTools({ refund: { activity: "act", undo: false } }), policies: [onceOnly()] })
 */
export function onceOnly(): Policy {
  return definePolicy<{ made: Recent }>({
    name: "once-only",
    version: "1",
    initial: () => ({ made: noCalls() }),
    observe: {
      "tool.finished": ({ made }, event) => {
        const { undo, fingerprint } = event.meaning;
        if (undo === false && fingerprint !== undefined && callWorked(event)) addRecent(made, fingerprint, MAX_CALLS);
      },
      "message.received": (state, { from = "user", inRequest }) => {
        if (from === "user" && inRequest !== true) state.made = noCalls();
      },
    },
    decide: {
      "tool.requested": (_run, { made }, { tool, meaning: { undo, fingerprint } }) =>
        undo === false && fingerprint !== undefined && isRecent(made, fingerprint)
          ? refuse(
              `${quote(tool)} was already done with these arguments and cannot be taken back. ` +
                "If it is needed again, ask the user.",
            )
          : undefined,
    },
  });
}

function noCalls(): Recent {
  return { fresh: new Set(), older: new Set() };
}
