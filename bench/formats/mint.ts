import type { Reason } from "@phasekit/core";
import { defined, nameIn, tableOf, textIn, toObject } from "@phasekit/core/adapter";
import type { TranscriptFormat } from "@phasekit/transcripts";
import { contentText, objectsIn } from "../../packages/transcripts/src/parse/loose-json.ts";

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
    const { state, task } = toObject(first);
    return Array.isArray(toObject(state)["history"]) &&
      "terminate_reason" in toObject(state) &&
      typeof toObject(task)["task_id"] !== "undefined"
      ? { certainty: 1 }
      : undefined;
  },
  translate: ({ runs }) => ({
    take: ({ value }) => {
      const { state, task } = toObject(value);
      const { history, success, terminate_reason: reason, error } = toObject(state);
      const { task_id: id, prompt } = toObject(task);
      const run = runs.open({
        ...defined({ id: nameIn(id) }),
        task: defined({ id: nameIn(id), text: nameIn(prompt) }),
      });
      let waiting = false;
      for (const [index, { role, content }] of objectsIn(history).entries()) {
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
        ...defined({ status: nameIn(status), reason: why }),
        ...(typeof success === "boolean" && { judged: { success, by: "MINT" } }),
      });
    },
  }),
};
