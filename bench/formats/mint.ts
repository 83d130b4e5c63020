import type { Reason } from "@phasekit/core";
import { tableOf } from "@phasekit/core/adapter";
import {
  contentText,
  known,
  listIn,
  nameIn,
  objectIn,
  textIn,
} from "../../packages/transcripts/src/parse/loose-json.ts";
import type { TranscriptFormat } from "@phasekit/transcripts";

const EXECUTE = /<execute>\s*([\s\S]*?)(?:<\/execute>|$)/;
const SOLUTION = /<solution>\s*([\s\S]*?)(?:<\/solution>|$)/;
const ENDINGS: Readonly<Record<string, Reason>> = tableOf({
  task_success: "done",
  max_steps: "step_limit",
  max_propose_steps: "step_limit",
  max_token: "context_overflow",
  exceeding_maximum_input_length: "context_overflow",
  error: "unknown",
});

/** Outputs of MINT: a run per line, with code and solutions between tags in the messages. */
export const mint: TranscriptFormat = {
  name: "mint",
  title: "MINT",
  detect: ({ values: [first] }) => {
    const { state, task } = objectIn(first);
    return Array.isArray(objectIn(state)["history"]) &&
      "terminate_reason" in objectIn(state) &&
      typeof objectIn(task)["task_id"] !== "undefined"
      ? { certainty: 1 }
      : undefined;
  },
  translate: ({ runs }) => ({
    take: ({ value }) => {
      const { state, task } = objectIn(value);
      const { history, success, terminate_reason: reason, error } = objectIn(state);
      const { task_id: id, prompt } = objectIn(task);
      const run = runs.open({ ...known({ id: nameIn(id) }), task: known({ id: nameIn(id), text: nameIn(prompt) }) });
      let waiting = false;
      for (const [index, { role, content }] of listIn(history).entries()) {
        const text = contentText(content);
        if (role === "assistant") {
          const code = EXECUTE.exec(text)?.[1];
          const solution = SOLUTION.exec(text)?.[1];
          run.answer({ id: String(index) });
          run.text(
            text
              .replace(EXECUTE, "")
              .replace(SOLUTION, "")
              .replace(/^Assistant:\s*/, "")
              .replace(/<\/?thought>/g, "")
              .trim(),
          );
          if (code !== undefined) run.call({ tool: "python", input: { code: code.trim() } });
          if (solution !== undefined) run.finish(solution.trim());
          waiting = code !== undefined;
        } else if (waiting) {
          const output = text.replace(/^Observation:\n/, "");
          run.result({ output, outcome: /^Traceback|Error:/m.test(output) ? "error" : "ok" });
          waiting = false;
        } else if (index > 0) run.user(text);
      }
      const status = textIn(reason);
      const why = error !== null && error !== undefined ? ("unknown" as const) : ENDINGS[status];
      run.end({
        ...known({ status: nameIn(status), reason: why }),
        ...(typeof success === "boolean" && { judged: { success, by: "MINT" } }),
      });
    },
  }),
};
