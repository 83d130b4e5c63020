import { defined, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import type { TranscriptFormat } from "@phasekit/transcripts";

/** Results of InterCode: many runs in one document, each as lists of actions and observations, with its reward. */
export const intercode: TranscriptFormat = {
  name: "intercode",
  title: "InterCode",
  detect: ({ values: [first] }) => {
    const [run] = Object.values(toObject(first));
    const { actions, observations } = toObject(toObject(run)["turn_history"]);
    return Array.isArray(actions) && Array.isArray(observations) ? { certainty: 1, split: ["*"] } : undefined;
  },
  translate: ({ runs, skip }) => ({
    take: ({ path: [id], value }) => {
      const { query, environment, turn_history: history, summary } = toObject(value);
      const { actions, observations, thoughts } = toObject(history);
      if (!Array.isArray(actions)) return skip("entry without actions");
      const results = Array.isArray(observations) ? (observations as readonly unknown[]) : [];
      const said = Array.isArray(thoughts) ? (thoughts as readonly unknown[]) : [];
      const run = runs.open({
        id: `${nameIn(environment) ?? "intercode"}/${String(id)}`,
        task: { id: String(id), ...defined({ text: nameIn(query) }) },
      });
      let finished = false;
      for (const [index, action] of (actions as readonly unknown[]).entries()) {
        const command = commandOf(textIn(action));
        // The last submission of a run without turns is the benchmark's, not the agent's.
        if (/^submit\b/.test(command) && textIn(said[index]).startsWith(OUT_OF_TURNS)) break;
        run.answer({ id: String(index) });
        run.text(textIn(said[index]));
        finished = /^submit\b/.test(command);
        if (finished) run.finish(textIn(said[index]) || command);
        else {
          const output = results[index];
          run.call({ tool: "bash", input: { command } });
          if (index < results.length)
            run.result({
              output,
              outcome: /^Error executing|command not found$/m.test(textIn(output).slice(0, 200)) ? "error" : "ok",
            });
        }
      }
      const isOut = said.some((thought) => textIn(thought).startsWith(OUT_OF_TURNS));
      run.end(
        isOut
          ? { ...endingOf(toObject(summary), false), reason: "step_limit", status: OUT_OF_TURNS }
          : endingOf(toObject(summary), finished),
      );
    },
  }),
};

const OUT_OF_TURNS = "EXCEEDED MAX TURNS";

/** `execute[ls]` and `cmd ls` both mean the command. */
function commandOf(action: string): string {
  return /^execute\[([\s\S]*)\]$/.exec(action)?.[1] ?? action.replace(/^(?:cmd|execute) /, "");
}

function endingOf(
  { max_reward: reward, turns_taken: taken, turns_max: most }: LooseObject,
  finished: boolean,
): {
  readonly judged?: { readonly success: boolean; readonly by: string };
  readonly reason?: "step_limit" | "interrupted";
} {
  const value = numberIn(reward);
  const reason = finished
    ? undefined
    : numberIn(most) !== undefined && Number(taken) >= Number(most)
      ? ("step_limit" as const)
      : ("interrupted" as const);
  return {
    ...(value !== undefined && { judged: { success: value >= 1, by: `reward ${String(value)}` } }),
    ...defined({ reason }),
  };
}
